// Sums over the threads that share a row.
#pragma once

namespace opyard {

/// Over groups of kThreads consecutive threads of a warp, or over so many whole warps, which then must all call it;
/// every thread gets the sum. `shared` has a float for each warp of the block, and is free again afterwards.
template <int kThreads>
__device__ __forceinline__ float sum_of_row(float value, float* shared) {
#pragma unroll
  for (int step = (kThreads < 32 ? kThreads : 32) / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, step);
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
      value += shared[first + i];
    }
    __syncthreads();
  }
  return value;
}

}  // namespace opyard
