// Attention by torch's scaled_dot_product_attention, which picks its flash kernel for the processor.
#include <ATen/ATen.h>
#include <gqa_dense/attention.h>
#include <lib/dtypes.h>
#include <opyard/aten_original.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

/// The mask that torch is given: the caller's, with what lies outside the causal triangle closed. torch's own causal
/// flag aligns the triangle to the first key, so it serves only where there are as many queries as keys.
std::optional<at::Tensor> closed_mask(const KernelCall& call, bool causal, std::int64_t queries, std::int64_t keys) {
  const auto dtype = call.input(kQuery).scalar_type();
  std::optional<at::Tensor> mask;
  if (call.has_input(kMask)) {
    const at::Tensor& given = call.input(kMask);
    mask = given.scalar_type() == at::kBool ? given : given.to(dtype);
    if (given.dim() < 2) {  // torch asks for two dims at least
      mask = mask->expand({queries, keys});
    }
  }
  if (!causal || (!mask && queries == keys) || queries == 1) {
    return mask;
  }
  const at::Tensor open = at::ones({queries, keys}, call.input(kQuery).options().dtype(at::kBool)).tril(keys - queries);
  if (!mask) {
    return open;
  }
  return mask->scalar_type() == at::kBool
             ? mask->logical_and(open)
             : mask->masked_fill(open.logical_not(), -std::numeric_limits<double>::infinity());
}

void attend(KernelCall& call, const Attention& attention) {
  AtenOriginal original;
  const at::Tensor q = call.input(kQuery).transpose(1, 2);
  const at::Tensor k = call.input(kKey).transpose(1, 2), v = call.input(kValue).transpose(1, 2);
  const bool causal = attention.right == 0;
  const auto mask = closed_mask(call, causal, q.size(2), k.size(2));
  const bool triangle = causal && !mask && q.size(2) == k.size(2);
  const at::Tensor out =
      at::scaled_dot_product_attention(q, k, v, mask, 0.0, triangle, attention.scale, q.size(1) != k.size(1));
  call.set_output(0, out.transpose(1, 2).to(attention.out_dtype).contiguous());
}

Refusal refusal(const CallSpec& spec) {
  if (Refusal extras = extras_refusal(spec)) {
    return extras;
  }
  if (spec.present("sinks")) {
    return "sinks are given; scaled_dot_product_attention has none";
  }
  const Attention attention = Attention::of(spec);
  if (attention.softcap != 0) {
    return c10::str("softcap is ", attention.softcap, "; scaled_dot_product_attention has none");
  }
  if (attention.left >= 0 || attention.right > 0) {
    return c10::str("the window is (", attention.left, ", ", attention.right,
                    "); scaled_dot_product_attention has none but the causal one");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> gqa_dense_sdpa() {
  return {{
      .op = "GQADenseFwdOp",
      .key = "sdpa",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const Attention attention = Attention::of(spec);
            return Entry{attention.identity(),
                         [=] { return make_kernel([=](KernelCall& call) { attend(call, attention); }); }};
          },
      .expected_us = 20,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
