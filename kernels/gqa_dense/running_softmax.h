// Softmax-weighted sums over keys that arrive in blocks: for each row a peak, a total and an unnormalised output.
#pragma once

#include <c10/util/SmallVector.h>
#include <lib/lanes.h>

#include <cmath>
#include <limits>

namespace opyard::kernels::OPYARD_ISA {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

inline void scale_in_place(float* values, float factor, std::int64_t size) {
  for_each_pair(size, [&](std::int64_t i, std::int64_t count) {
    const Pair v = load_pair(values + i, count);
    store_pair(values + i, {v.low * Lanes(factor), v.high * Lanes(factor)}, count);
  });
}

/// sums[rows of p][P pairs] += p [M, keys] * v [keys, P pairs]; `count` elements of the last pair exist in v.
template <class T, int M, int P>
inline void add_weighted(const float* p, std::int64_t p_stride, const T* v, std::int64_t v_stride, std::int64_t keys,
                         float* sums, std::int64_t sums_stride, std::int64_t count) {
  Lanes sum[M][2 * P];
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (int c = 0; c < 2 * P; ++c) {
      sum[m][c] = Lanes::loadu(sums + m * sums_stride + c * kLanes);
    }
  }
  for (std::int64_t key = 0; key < keys; ++key) {
    Pair value[P];
#pragma GCC unroll 8
    for (int c = 0; c < P; ++c) {
      value[c] = load_pair(v + key * v_stride + c * kPair, c + 1 == P ? count : kPair);
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) {
      const Lanes weight(p[m * p_stride + key]);
#pragma GCC unroll 8
      for (int c = 0; c < P; ++c) {
        sum[m][2 * c] = at::vec::fmadd(weight, value[c].low, sum[m][2 * c]);
        sum[m][2 * c + 1] = at::vec::fmadd(weight, value[c].high, sum[m][2 * c + 1]);
      }
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) {
#pragma GCC unroll 8
    for (int c = 0; c < 2 * P; ++c) {
      sum[m][c].store(sums + m * sums_stride + c * kLanes);
    }
  }
}

class RunningSoftmax {
 public:
  /// Memory for `rows` rows of `width` outputs each; width is in whole pairs.
  RunningSoftmax(float* memory, std::int64_t rows, std::int64_t width)
      : peaks_(memory), totals_(memory + rows), sums_(memory + 2 * rows), width_(width) {
    std::fill(peaks_, peaks_ + rows, kNothing);
    std::fill(totals_, sums_ + rows * width, 0.0f);
  }
  static std::int64_t floats(std::int64_t rows, std::int64_t width) { return rows * (width + 2); }

  float* sums(std::int64_t row) { return sums_ + row * width_; }
  std::int64_t width() const { return width_; }

  /// Turns a row's scores, padded with kNothing to whole pairs, into weights against the row's new peak.
  void weigh(std::int64_t row, float* scores, std::int64_t padded) {
    Lanes most(kNothing);
    for (std::int64_t i = 0; i < padded; i += kLanes) {
      most = at::vec::maximum(most, Lanes::loadu(scores + i));
    }
    const float block_peak =
        at::vec::vec_reduce_all<float>([](const Lanes& a, const Lanes& b) { return at::vec::maximum(a, b); }, most);
    const float peak = raise_peak(row, block_peak);
    if (peak == kNothing) {  // nothing seen yet: exp(-inf - -inf) would be NaN
      std::fill(scores, scores + padded, 0.0f);
      return;
    }
    Lanes total(0.0f);
    for (std::int64_t i = 0; i < padded; i += kLanes) {
      const Lanes weight = (Lanes::loadu(scores + i) - Lanes(peak)).exp();
      weight.store(scores + i);
      total = total + weight;
    }
    totals_[row] += sum_of(total);
  }

  /// One more key without a value.
  void add_sink(std::int64_t row, float score) {
    const float peak = raise_peak(row, score);
    if (peak != kNothing) {
      totals_[row] += std::exp(score - peak);
    }
  }

  /// Takes in the rows of another part of the keys.
  void merge(std::int64_t row, RunningSoftmax& other) {
    const float peak = raise_peak(row, other.peaks_[row]);
    if (peak == kNothing) {
      return;
    }
    const float factor = std::exp(other.peaks_[row] - peak);
    totals_[row] += factor * other.totals_[row];
    for (std::int64_t i = 0; i < width_; ++i) {
      sums(row)[i] += factor * other.sums(row)[i];
    }
  }

  /// The weighted mean; zeros where no key was seen.
  template <class T>
  void write(std::int64_t row, T* out, std::int64_t size) {
    const Lanes factor(totals_[row] == 0.0f ? 0.0f : 1.0f / totals_[row]);
    for_each_pair(size, [&](std::int64_t i, std::int64_t count) {
      const Pair v = load_pair(sums(row) + i);
      store_pair(out + i, {v.low * factor, v.high * factor}, count);
    });
  }

 private:
  float raise_peak(std::int64_t row, float candidate) {
    const float before = peaks_[row];
    if (candidate > before || std::isnan(candidate)) {
      peaks_[row] = candidate;
      if (totals_[row] != 0.0f) {
        const float factor = std::exp(before - candidate);
        totals_[row] *= factor;
        scale_in_place(sums(row), factor, width_);
      }
    }
    return peaks_[row];
  }

  float *peaks_, *totals_, *sums_;
  std::int64_t width_;
};

}  // namespace opyard::kernels::OPYARD_ISA
