// Products of a panel of rows of x, transposed, with a few rows of a weight: a sum of outer products in registers.
#pragma once

#include <lib/lanes.h>

namespace opyard::kernels::OPYARD_ISA {

constexpr int kTileRows = kLanes >= 16 ? 8 : 6;     // of the weight; with kTileVectors: what the registers hold
constexpr int kTileVectors = kLanes >= 16 ? 3 : 2;  // of rows of x
constexpr std::int64_t kFloatsPerLine = 16;

/// sums[r] += the products of weight[r] with the rows of a panel that holds, for each column of [begin, end), V vectors
/// of them. Each row of the weight is read in place, a scalar at a time, and the lines `ahead` of it are fetched.
template <int V>
inline void outer_tile(const float* panel, const float* const (&weight)[kTileRows], std::int64_t begin,
                       std::int64_t end, std::int64_t ahead, float (*sums)[kTileVectors * kLanes]) {
  Lanes sum[kTileRows][V];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      sum[r][v] = Lanes(0.0f);
    }
  }
  const auto step = [&](std::int64_t i) {
    Lanes x[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      x[v] = Lanes::loadu(panel + (i * V + v) * kLanes);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const Lanes w(weight[r][i]);
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) {
        sum[r][v] = at::vec::fmadd(w, x[v], sum[r][v]);
      }
    }
  };
  std::int64_t i = begin;
  for (; i + kFloatsPerLine <= end; i += kFloatsPerLine) {
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      __builtin_prefetch(weight[r] + i + ahead, 0, 2);
    }
#pragma GCC unroll 2
    for (int j = 0; j < kFloatsPerLine; ++j) {
      step(i + j);
    }
  }
  for (; i < end; ++i) {
    step(i);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      (sum[r][v] + Lanes::loadu(sums[r] + v * kLanes)).store(sums[r] + v * kLanes);
    }
  }
}

}  // namespace opyard::kernels::OPYARD_ISA
