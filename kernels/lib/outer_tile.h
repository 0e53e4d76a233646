// Products of a panel of rows of x, transposed, with a few rows of a weight: a sum of outer products in registers.
#pragma once

#include <lib/bfloat16_pairs.h>

namespace opyard::kernels::OPYARD_ISA {

constexpr int kTileRows = kLanes >= 16 ? 8 : 4;  // of the weight; with kTileVectors: what the registers hold
constexpr int kTileVectors = 3;                  // of rows of x
constexpr int kTileUnits = kTileVectors * kUnitsPerVector;
constexpr std::int64_t kFloatsPerLine = 16;

/// The sums of one row of the weight with V vectors of rows of x, and half a vector more if so.
template <int V, bool Half>
struct TileRow {
  Lanes whole[V > 0 ? V : 1];  // zeros at first: so torch's vectors begin
  HalfLanes half{Lanes(0.0f)};

  void load(const float* from) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      whole[v] = Lanes::loadu(from + v * kLanes);
    }
    if constexpr (Half) {
      half = HalfLanes::loadu(from + V * kLanes);
    }
  }

  template <bool Pairs>
  void add_products(const Lanes& w, const TileRow& x) {
    const auto multiply = [](const auto& a, const auto& b, const auto& sum) {
      if constexpr (Pairs) {
        return add_pairs(a, b, sum);
      } else {
        return fmadd(a, b, sum);
      }
    };
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      whole[v] = multiply(w, x.whole[v], whole[v]);
    }
    if constexpr (Half) {
      half = multiply(HalfLanes(w), x.half, half);
    }
  }

  void add(const float* to_add) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      whole[v] = whole[v] + Lanes::loadu(to_add + v * kLanes);
    }
    if constexpr (Half) {
      half = half + HalfLanes::loadu(to_add + V * kLanes);
    }
  }

  void store(float* to) const {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      whole[v].store(to + v * kLanes);
    }
    if constexpr (Half) {
      half.store(to + V * kLanes);
    }
  }
};

/// sums[r] += the products of weight[r] with the rows of a panel that holds, for each column of [begin, end), so many
/// units of them. Each row of the weight is read in place, a scalar at a time, and the lines `ahead` of it are fetched.
/// With Pairs each float of panel and weight stands for two columns in bfloat16.
template <int Units, bool Pairs>
inline void outer_tile(const float* panel, const float* const (&weight)[kTileRows], std::int64_t begin,
                       std::int64_t end, std::int64_t ahead, float (*sums)[kTileVectors * kLanes]) {
  constexpr int kWhole = Units / kUnitsPerVector;
  constexpr bool kHalf = Units % kUnitsPerVector != 0;
  TileRow<kWhole, kHalf> rows[kTileRows];
  const auto step = [&](std::int64_t i) {
    TileRow<kWhole, kHalf> x;
    x.load(panel + i * Units * kUnit);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      rows[r].template add_products<Pairs>(Lanes(weight[r][i]), x);
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
    rows[r].add(sums[r]);
    rows[r].store(sums[r]);
  }
}

}  // namespace opyard::kernels::OPYARD_ISA
