// Reductions of rows to a number each.
#pragma once

#include <lib/cuda/functions.cuh>
#include <lib/cuda/pack.cuh>
#include <lib/cuda/reduce.cuh>

namespace opyard {

struct LargestOrNan : Largest {
  static __device__ __forceinline__ float of(float a, float b) { return larger(a, b); }
};

struct SmallestOrNan {
  static __device__ __forceinline__ float start() { return __int_as_float(0x7f800000); }  // infinity
  static __device__ __forceinline__ float of(float a, float b) { return smaller(a, b); }
};

/// y[row, part] = scale * the fold of that part of the row. A row is cut into `parts` of `length` elements, the last of
/// which may be shorter, so that few long rows use the whole device; a second launch folds the parts. Parts are folded
/// in one order whatever the device does, so that a result repeats. A block has kParts parts, one for kThreads threads.
template <class Fold, class T, class Out, int kThreads, int kParts, bool kPacked>
__global__ void __launch_bounds__(kThreads* kParts)
    fold_rows(const T* x, Out* y, long long rows, long long columns, long long parts, long long length, float scale) {
  using Unit = Items<T, kPacked ? Pack<T>::kSize : 1>;
  __shared__ float shared[kThreads * kParts / 32];
  const long long index = static_cast<long long>(blockIdx.x) * kParts + threadIdx.x / kThreads;
  const bool inside = index < rows * parts;
  const long long row = index / parts, begin = index % parts * length;
  const long long end = begin + length < columns ? begin + length : columns;
  float folded = Fold::start();
  if (inside) {
    const Unit* from = reinterpret_cast<const Unit*>(x + row * columns + begin);
    const long long units = (end - begin) / Unit::kSize;
#pragma unroll 4
    for (long long i = threadIdx.x % kThreads; i < units; i += kThreads) {
      const Unit unit = from[i];
#pragma unroll
      for (int j = 0; j < Unit::kSize; ++j) {
        folded = Fold::of(folded, to_float(unit.items[j]));
      }
    }
  }
  folded = fold_row<Fold, kThreads>(folded, shared);
  if (inside && threadIdx.x % kThreads == 0) {
    from_float(folded * scale, y[index]);
  }
}

}  // namespace opyard
