// Attention written out in aten operators, in float32 (double stays double): mask, windows, softcap, sinks, rotation.
#include <ATen/ATen.h>
#include <gqa_dense/written_out.h>
#include <lib/dtypes.h>
#include <opyard/aten_original.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

at::Tensor given(const KernelCall& call, AttentionInput input) {
  return call.has_input(input) ? call.input(input) : at::Tensor();
}

void attend(KernelCall& call, const Attention& attention) {
  AtenOriginal original;
  const at::Tensor& q = call.input(kQuery);
  const at::ScalarType dtype = q.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor k = call.input(kKey).to(dtype);
  const Tables tables{given(call, kRopeCos), given(call, kRopeSin)};
  // The last query stands at the last key.
  const at::Tensor query = rotated(tables, q.to(dtype), k.size(1) - q.size(1), attention.interleaved).transpose(1, 2);
  const at::Tensor key = by_query_head(rotated(tables, k, 0, attention.interleaved), q.size(2));
  const at::Tensor value = by_query_head(call.input(kValue).to(dtype), q.size(2));
  at::Tensor scores = at::matmul(query, key.transpose(2, 3)).mul(attention.scale);
  if (attention.softcap != 0) {
    scores = scores.div(attention.softcap).tanh().mul(attention.softcap);
  }
  const at::Tensor weights = weights_of(masked_scores(given(call, kMask), attention, scores), given(call, kSinks));
  const at::Tensor out = at::matmul(weights, value);
  call.set_output(0, out.transpose(1, 2).to(attention.out_dtype).contiguous());
}

}  // namespace

std::vector<Implementation> gqa_dense_aten() {
  return {{
      .op = "GQADenseFwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .refusal = scales_refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const Attention attention = Attention::of(spec);
            return Entry{attention.identity(),
                         [=] { return make_kernel([=](KernelCall& call) { attend(call, attention); }); }};
          },
      .expected_us = 40,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
