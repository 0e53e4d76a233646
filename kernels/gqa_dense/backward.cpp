// The gradients of attention in aten operators, in float32 (double stays double). With P the weights and O = P V:
// dV = P^T dO; dS = P * (dO V^T - rowsum(dO * O)); dQ = scale dS K; dK = scale dS^T Q. A soft cap multiplies dS by
// 1 - tanh^2, and rotated queries and keys turn back.
#include <ATen/ATen.h>
#include <gqa_dense/written_out.h>
#include <lib/backward_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

enum Input : std::size_t { kDOutput, kQ, kK, kV, kCos, kSin, kSink, kBias };

at::Tensor given(const KernelCall& call, Input input) {
  return call.has_input(input) ? call.input(input) : at::Tensor();
}

/// [B, H, S, D] as [B, S, H_kv, D]: what a group of query heads gives their key head.
at::Tensor by_key_head(const at::Tensor& tensor, std::int64_t heads) {
  const std::int64_t group = heads == 0 ? 1 : tensor.size(1) / heads;
  return tensor.unflatten(1, {heads, group}).sum(2).transpose(1, 2);
}

void differentiate(KernelCall& call, const Attention& attention) {
  const at::Tensor &q = call.input(kQ), &k = call.input(kK);
  const at::ScalarType dtype = q.scalar_type();
  const Tables tables{given(call, kCos), given(call, kSin)};
  const Tables back{tables.cos, tables.sin.defined() ? tables.sin.neg() : tables.sin};
  const std::int64_t heads = k.size(2), first = k.size(1) - q.size(1);
  const bool interleaved = attention.interleaved;

  const at::Tensor gradient = widened(call.input(kDOutput)).transpose(1, 2);
  const at::Tensor query = rotated(tables, widened(q), first, interleaved).transpose(1, 2);
  const at::Tensor key = by_query_head(rotated(tables, widened(k), 0, interleaved), q.size(2));
  const at::Tensor value = by_query_head(widened(call.input(kV)), q.size(2));
  at::Tensor scores = at::matmul(query, key.transpose(2, 3)).mul(attention.scale), slope;
  if (attention.softcap != 0) {
    const at::Tensor bent = scores.div(attention.softcap).tanh();
    scores = bent.mul(attention.softcap);
    slope = 1 - bent.square();
  }
  const at::Tensor weights = weights_of(masked_scores(given(call, kBias), attention, scores), given(call, kSink));

  const at::Tensor of_weights = at::matmul(gradient, value.transpose(2, 3));
  const at::Tensor common = (of_weights * weights).sum(3, /*keepdim=*/true);
  at::Tensor of_scores = weights * (of_weights - common) * attention.scale;
  if (slope.defined()) {
    of_scores = of_scores * slope;
  }
  const at::Tensor dq = at::matmul(of_scores, key).transpose(1, 2);
  const at::Tensor dk = by_key_head(at::matmul(of_scores.transpose(2, 3), query), heads);
  give(call, 0, rotated(back, dq, first, interleaved), dtype);
  give(call, 1, rotated(back, dk, 0, interleaved), dtype);
  give(call, 2, by_key_head(at::matmul(weights.transpose(2, 3), gradient), heads), dtype);
}

}  // namespace

std::vector<Implementation> gqa_dense_backward() {
  return {{
      .op = "GQADenseBwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .general = true,
      .entry_for =
          [](const CallSpec& spec) {
            const Attention attention = Attention::of(spec);
            return Entry{attention.identity(), [=] {
                           return make_kernel([=](KernelCall& call) {
                             AtenOriginal original;
                             differentiate(call, attention);
                           });
                         }};
          },
      .expected_us = 60,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
