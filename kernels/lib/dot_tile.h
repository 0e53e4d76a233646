// Dot products of a few rows of x with a few rows of a weight, all contiguous along K, summed in float32.
#pragma once

#include <lib/lanes.h>
#include <lib/sum_four.h>

namespace opyard::kernels::OPYARD_ISA {

/// sums[m][r] = the dot product of row m of x with row r of `weight`.
template <int M, int R, class T>
inline void dot_tile(const float* x, std::int64_t x_stride, const T* weight, std::int64_t weight_stride, std::int64_t k,
                     float (&sums)[M][R]) {
  // Two chains of sums where few accumulators would leave each waiting for its last addition.
  constexpr int kChains = M * R < 8 ? 2 : 1;
  Lanes sum[M][R][kChains];
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      sum[m][r][0] = Lanes(0.0f);
      sum[m][r][kChains - 1] = Lanes(0.0f);
    }
  }
  const auto step = [&](const Pair(&w)[R], std::int64_t i) {
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) {
      const Lanes low = Lanes::loadu(x + m * x_stride + i);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        sum[m][r][0] = at::vec::fmadd(w[r].low, low, sum[m][r][0]);
      }
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) {
      const Lanes high = Lanes::loadu(x + m * x_stride + i + kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        sum[m][r][kChains - 1] = at::vec::fmadd(w[r].high, high, sum[m][r][kChains - 1]);
      }
    }
  };
  Pair w[R];
  std::int64_t i = 0;
  for (; i + kPair <= k; i += kPair) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      w[r] = load_pair(weight + r * weight_stride + i);
    }
    step(w, i);
  }
  if (i < k) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      w[r] = load_pair(weight + r * weight_stride + i, k - i);
    }
    step(w, i);
  }
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) {
    if constexpr (R == 4 && kChains == 1) {
      sum_four(sum[m][0][0], sum[m][1][0], sum[m][2][0], sum[m][3][0], sums[m]);
    } else {
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        sums[m][r] = sum_of(kChains == 2 ? sum[m][r][0] + sum[m][r][1] : sum[m][r][0]);
      }
    }
  }
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
