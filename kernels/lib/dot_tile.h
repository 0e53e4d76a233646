// Dot products of a few rows of x with a few rows of a weight, all contiguous along K, summed in float32.
#pragma once

#include <lib/lanes.h>
#include <lib/sum_four.h>
#include <lib/unrolled.h>

namespace opyard::kernels::OPYARD_ISA {

/// sums[m][r] = the dot product of row m of x with row r of `weight`.
template <int M, int R, class T>
inline void dot_tile(const float* x, std::int64_t x_stride, const T* weight, std::int64_t weight_stride, std::int64_t k,
                     float (&sums)[M][R]) {
  // Two chains of sums where few accumulators would leave each waiting for its last addition.
  constexpr int kChains = M * R < 8 ? 2 : 1;
  Lanes sum[M][R][kChains];
  unrolled<M>([&](auto m) {
    unrolled<R>([&](auto r) { unrolled<kChains>([&](auto chain) { sum[m][r][chain] = Lanes(0.0f); }); });
  });
  const auto step = [&](const Pair(&w)[R], std::int64_t i) __attribute__((always_inline)) {
    unrolled<M>([&](auto m) {
      const Lanes low = Lanes::loadu(x + m * x_stride + i);
      unrolled<R>([&](auto r) { sum[m][r][0] = at::vec::fmadd(w[r].low, low, sum[m][r][0]); });
    });
    unrolled<M>([&](auto m) {
      const Lanes high = Lanes::loadu(x + m * x_stride + i + kLanes);
      unrolled<R>([&](auto r) { sum[m][r][kChains - 1] = at::vec::fmadd(w[r].high, high, sum[m][r][kChains - 1]); });
    });
  };
  Pair w[R];
  std::int64_t i = 0;
  for (; i + kPair <= k; i += kPair) {
    unrolled<R>([&](auto r) { w[r] = load_pair(weight + r * weight_stride + i); });
    step(w, i);
  }
  if (i < k) {
    unrolled<R>([&](auto r) { w[r] = load_pair(weight + r * weight_stride + i, k - i); });
    step(w, i);
  }
  unrolled<M>([&](auto m) {
    if constexpr (R == 4 && kChains == 1) {
      sum_four(sum[m][0][0], sum[m][1][0], sum[m][2][0], sum[m][3][0], sums[m]);
    } else {
      unrolled<R>(
          [&](auto r) { sums[m][r] = sum_of(kChains == 2 ? sum[m][r][0] + sum[m][r][kChains - 1] : sum[m][r][0]); });
    }
  });
}

/// Calls body with `count` as a type, from 1 to Most; not at all for other counts.
template <int Most, class Body>
inline void with_count(std::int64_t count, const Body& body) {
  if constexpr (Most > 0) {
    if (count == Most) {
      body(std::integral_constant<int, Most>());
    } else {
      with_count<Most - 1>(count, body);
    }
  }
}

}  // namespace opyard::kernels::OPYARD_ISA
