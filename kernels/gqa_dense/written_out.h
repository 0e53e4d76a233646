// The pieces of attention in aten operators that the general implementation and its gradient share.
#pragma once

#include <ATen/ATen.h>
#include <gqa_dense/attention.h>

namespace opyard::kernels::OPYARD_ISA {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Rotation tables, [positions, width / 2]; undefined where nothing rotates.
struct Tables {
  at::Tensor cos, sin;
};

/// [B, S, H, D] with the first columns of every head rotated: position s by row `first + s` of the tables.
inline at::Tensor rotated(const Tables& tables, const at::Tensor& x, std::int64_t first, bool interleaved) {
  if (!tables.cos.defined()) {
    return x;
  }
  const auto rows = [&](const at::Tensor& table) {
    return table.narrow(0, first, x.size(1)).to(x.scalar_type()).unsqueeze(1);
  };
  const at::Tensor cos = rows(tables.cos), sin = rows(tables.sin);
  const std::int64_t half = cos.size(2), width = 2 * half;
  const at::Tensor turned = x.narrow(3, 0, width), rest = x.narrow(3, width, x.size(3) - width);
  const at::Tensor a = interleaved ? turned.slice(3, 0, width, 2) : turned.narrow(3, 0, half);
  const at::Tensor b = interleaved ? turned.slice(3, 1, width, 2) : turned.narrow(3, half, half);
  const at::Tensor new_a = a * cos - b * sin, new_b = b * cos + a * sin;
  const at::Tensor joined = interleaved ? at::stack({new_a, new_b}, 4).flatten(3) : at::cat({new_a, new_b}, 3);
  return at::cat({joined, rest}, 3);
}

/// [B, S, H_kv, D] as [B, H, S, D]: each head of keys or values for its group of query heads.
inline at::Tensor by_query_head(const at::Tensor& tensor, std::int64_t heads) {
  const std::int64_t group = tensor.size(2) == 0 ? 1 : heads / tensor.size(2);
  return tensor.repeat_interleave(group, 2).transpose(1, 2);
}

/// Which keys each query sees, [S_q, S_kv].
inline at::Tensor window(const Attention& attention, std::int64_t queries, std::int64_t keys, c10::Device device) {
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  const at::Tensor position = at::arange(queries, options).unsqueeze(1) + (keys - queries);
  const at::Tensor distance = at::arange(keys, options).unsqueeze(0) - position;
  at::Tensor seen = at::ones({queries, keys}, options.dtype(at::kBool));
  if (attention.left >= 0) {
    seen = seen & (distance >= -attention.left);
  }
  return attention.right < 0 ? seen : seen & (distance <= attention.right);
}

/// `mask` is undefined where none is given.
inline at::Tensor masked_scores(const at::Tensor& mask, const Attention& attention, at::Tensor scores) {
  if (mask.defined()) {
    scores = mask.scalar_type() == at::kBool ? scores.masked_fill(mask.logical_not(), kNever)
                                             : scores + mask.to(scores.scalar_type());
  }
  if (attention.windowed()) {
    scores =
        scores.masked_fill(window(attention, scores.size(2), scores.size(3), scores.device()).logical_not(), kNever);
  }
  return scores;
}

/// Each query's weights of the keys: a softmax with the sink as one more key, without a value. Without sinks it is
/// never seen, and a row of no keys has weights of zero.
inline at::Tensor weights_of(const at::Tensor& scores, const at::Tensor& sinks) {
  const std::vector<std::int64_t> column = {scores.size(0), scores.size(1), scores.size(2), 1};
  const at::Tensor sink = sinks.defined() ? sinks.to(scores.scalar_type()).view({1, -1, 1, 1}).expand(column)
                                          : at::full(column, kNever, scores.options());
  const at::Tensor all = at::cat({scores, sink}, 3);
  const at::Tensor peak = all.amax(3, /*keepdim=*/true);
  const at::Tensor powers = (all - peak.masked_fill(peak == kNever, 0)).exp();
  const at::Tensor total = powers.sum(3, /*keepdim=*/true);
  return powers.narrow(3, 0, scores.size(3)).div(total.masked_fill(total == 0, 1));
}

}  // namespace opyard::kernels::OPYARD_ISA
