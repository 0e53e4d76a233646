// Attention written out in aten operators, in float32 (double stays double): mask, windows, softcap, sinks, rotation.
#include <ATen/ATen.h>
#include <gqa_dense/attention.h>
#include <lib/dtypes.h>
#include <opyard/aten_original.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// [B, S, H, D] with the first columns of every head rotated: position s by row `first + s` of the tables.
at::Tensor rotated(const KernelCall& call, const at::Tensor& x, std::int64_t first, bool interleaved) {
  if (!call.has_input(kRopeCos)) {
    return x;
  }
  const auto rows = [&](const at::Tensor& table) {
    return table.narrow(0, first, x.size(1)).to(x.scalar_type()).unsqueeze(1);
  };
  const at::Tensor cos = rows(call.input(kRopeCos)), sin = rows(call.input(kRopeSin));
  const std::int64_t half = cos.size(2), width = 2 * half;
  const at::Tensor turned = x.narrow(3, 0, width), rest = x.narrow(3, width, x.size(3) - width);
  const at::Tensor a = interleaved ? turned.slice(3, 0, width, 2) : turned.narrow(3, 0, half);
  const at::Tensor b = interleaved ? turned.slice(3, 1, width, 2) : turned.narrow(3, half, half);
  const at::Tensor new_a = a * cos - b * sin, new_b = b * cos + a * sin;
  const at::Tensor joined = interleaved ? at::stack({new_a, new_b}, 4).flatten(3) : at::cat({new_a, new_b}, 3);
  return at::cat({joined, rest}, 3);
}

/// [B, S, H_kv, D] as [B, H, S, D]: each head of keys or values for its group of query heads.
at::Tensor by_query_head(const at::Tensor& tensor, std::int64_t heads) {
  const std::int64_t group = tensor.size(2) == 0 ? 1 : heads / tensor.size(2);
  return tensor.repeat_interleave(group, 2).transpose(1, 2);
}

/// Which keys each query sees, [S_q, S_kv].
at::Tensor window(const Attention& attention, std::int64_t queries, std::int64_t keys, c10::Device device) {
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  const at::Tensor position = at::arange(queries, options).unsqueeze(1) + (keys - queries);
  const at::Tensor distance = at::arange(keys, options).unsqueeze(0) - position;
  at::Tensor seen = at::ones({queries, keys}, options.dtype(at::kBool));
  if (attention.left >= 0) {
    seen = seen & (distance >= -attention.left);
  }
  return attention.right < 0 ? seen : seen & (distance <= attention.right);
}

at::Tensor masked_scores(const KernelCall& call, const Attention& attention, at::Tensor scores) {
  if (attention.softcap != 0) {
    scores = scores.div(attention.softcap).tanh().mul(attention.softcap);
  }
  if (call.has_input(kMask)) {
    const at::Tensor& mask = call.input(kMask);
    scores = mask.scalar_type() == at::kBool ? scores.masked_fill(mask.logical_not(), kNever)
                                             : scores + mask.to(scores.scalar_type());
  }
  if (attention.windowed()) {
    scores =
        scores.masked_fill(window(attention, scores.size(2), scores.size(3), scores.device()).logical_not(), kNever);
  }
  return scores;
}

void attend(KernelCall& call, const Attention& attention) {
  AtenOriginal original;
  const at::Tensor& q = call.input(kQuery);
  const at::ScalarType dtype = q.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor k = call.input(kKey).to(dtype);
  // The last query stands at the last key.
  const at::Tensor query = rotated(call, q.to(dtype), k.size(1) - q.size(1), attention.interleaved).transpose(1, 2);
  const at::Tensor key = by_query_head(rotated(call, k, 0, attention.interleaved), q.size(2));
  const at::Tensor value = by_query_head(call.input(kValue).to(dtype), q.size(2));
  at::Tensor scores = at::matmul(query, key.transpose(2, 3)).mul(attention.scale);
  scores = masked_scores(call, attention, scores);

  // The sink is one more key without a value; without sinks it is never seen, and a row of no keys has a maximum.
  const std::int64_t keys = scores.size(3);
  const std::vector<std::int64_t> column = {scores.size(0), scores.size(1), scores.size(2), 1};
  const at::Tensor sink = call.has_input(kSinks) ? call.input(kSinks).to(dtype).view({1, -1, 1, 1}).expand(column)
                                                 : at::full(column, kNever, q.options().dtype(dtype));
  scores = at::cat({scores, sink}, 3);
  const at::Tensor peak = scores.amax(3, /*keepdim=*/true);
  const at::Tensor weights = (scores - peak.masked_fill(peak == kNever, 0)).exp();
  const at::Tensor total = weights.sum(3, /*keepdim=*/true);
  const at::Tensor out = at::matmul(weights.narrow(3, 0, keys), value).div(total.masked_fill(total == 0, 1));
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
