// y = x / sqrt(mean(x^2) + eps) * weight for each row; a row is read once and kept in registers.
#pragma once

#include <lib/cuda/pack.cuh>
#include <lib/cuda/reduce.cuh>

namespace opyard {

/// A row is shared by kThreads threads, each with kPacks packs of it; a block has kRows rows. Blocks are small, so that
/// several share a multiprocessor and their phases of reading and writing overlap. The weight is read ahead of the
/// reduction where that leaves registers for a second block.
template <class T, int kThreads, int kRows, int kPacks, bool kWeight>
__global__ void __launch_bounds__(kThreads* kRows) rms_norm_rows(const T* x, const T* weight, T* y, long long rows,
                                                                 long long columns, long long row_stride, float eps) {
  constexpr int kSize = Pack<T>::kSize;
  __shared__ float shared[kThreads * kRows / 32 + 1];
  const int thread = threadIdx.x % kThreads, packs = static_cast<int>(columns) / kSize;
  const long long row = static_cast<long long>(blockIdx.x) * kRows + threadIdx.x / kThreads;
  const Pack<T>* from = reinterpret_cast<const Pack<T>*>(x + row * row_stride);
  Pack<T> values[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    const int pack = thread + i * kThreads;
    values[i] = row < rows && pack < packs ? load(from + pack) : Pack<T>{};
  }
  constexpr bool kAhead = kWeight && kThreads <= 256;
  const Pack<T>* scales_from = reinterpret_cast<const Pack<T>*>(weight);
  Pack<T> scales[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    if (const int pack = thread + i * kThreads; kAhead && pack < packs) {
      scales[i] = load(scales_from + pack);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      const float value = to_float(values[i].items[j]);
      sum = fmaf(value, value, sum);
    }
  }
  const float mean = sum_of_row<kThreads>(sum, shared) / static_cast<float>(columns);
  const float factor = rsqrtf(mean + eps);
  if (row >= rows) {
    return;
  }
  Pack<T>* to = reinterpret_cast<Pack<T>*>(y + row * columns);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    if (const int pack = thread + i * kThreads; pack < packs) {
      if constexpr (kWeight && !kAhead) {
        scales[i] = load(scales_from + pack);
      }
#pragma unroll
      for (int j = 0; j < kSize; ++j) {
        float value = to_float(values[i].items[j]) * factor;
        if constexpr (kWeight) {
          value *= to_float(scales[i].items[j]);
        }
        from_float(value, values[i].items[j]);
      }
      store(to + pack, values[i]);
    }
  }
}

/// Rows of any width and alignment, one a block, read twice: an element at a time, or a pack where kPacked.
template <class T, int kThreads, bool kPacked, bool kWeight>
__global__ void __launch_bounds__(kThreads) rms_norm_wide(const T* x, const T* weight, T* y, long long rows,
                                                          long long columns, long long row_stride, float eps) {
  using Unit = Items<T, kPacked ? Pack<T>::kSize : 1>;
  __shared__ float shared[kThreads / 32];
  const long long row = blockIdx.x, units = columns / Unit::kSize;
  const Unit* from = reinterpret_cast<const Unit*>(x + row * row_stride);
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < units; i += kThreads) {
    const Unit unit = from[i];
#pragma unroll
    for (int j = 0; j < Unit::kSize; ++j) {
      const float value = to_float(unit.items[j]);
      sum = fmaf(value, value, sum);
    }
  }
  const float mean = sum_of_row<kThreads>(sum, shared) / static_cast<float>(columns);
  const float factor = rsqrtf(mean + eps);
  Unit* to = reinterpret_cast<Unit*>(y + row * columns);
  for (long long i = threadIdx.x; i < units; i += kThreads) {
    Unit unit = from[i], scales;
    if constexpr (kWeight) {
      scales = reinterpret_cast<const Unit*>(weight)[i];
    }
#pragma unroll
    for (int j = 0; j < Unit::kSize; ++j) {
      float value = to_float(unit.items[j]) * factor;
      if constexpr (kWeight) {
        value *= to_float(scales.items[j]);
      }
      from_float(value, unit.items[j]);
    }
    to[i] = unit;
  }
}

}  // namespace opyard
