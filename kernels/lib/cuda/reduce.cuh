// Folds over the threads that share a row.
#pragma once

namespace opyard {

struct Sum {
  static __device__ __forceinline__ float start() { return 0.0f; }
  static __device__ __forceinline__ float of(float a, float b) { return a + b; }
};

struct Largest {
  static __device__ __forceinline__ float start() { return __int_as_float(0xff800000); }  // minus infinity
  static __device__ __forceinline__ float of(float a, float b) { return fmaxf(a, b); }
};

/// Over groups of kThreads consecutive threads of a warp, or over so many whole warps, which then must all call it;
/// every thread gets the result. `shared` has a float for each warp of the block, and is free again afterwards.
template <class Fold, int kThreads>
__device__ __forceinline__ float fold_row(float value, float* shared) {
#pragma unroll
  for (int step = (kThreads < 32 ? kThreads : 32) / 2; step > 0; step /= 2) {
    value = Fold::of(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  if constexpr (kThreads > 32) {
    constexpr int kWarps = kThreads / 32;
    const int warp = threadIdx.x / 32, first = warp / kWarps * kWarps;
    if (threadIdx.x % 32 == 0) {
      shared[warp] = value;
    }
    __syncthreads();
    value = shared[first];
#pragma unroll
    for (int i = 1; i < kWarps; ++i) {
      value = Fold::of(value, shared[first + i]);
    }
    __syncthreads();
  }
  return value;
}

}  // namespace opyard
