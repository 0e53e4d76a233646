// Sums and maxima over the threads that share a row.
#pragma once

namespace opyard {

struct Add {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

struct Maximum {
  /// NaN wins, as in torch.
  __device__ __forceinline__ float operator()(float a, float b) const { return a > b || a != a ? a : b; }
};

/// Over groups of kThreads consecutive threads of a warp, or over so many whole warps; every thread gets the result,
/// and all threads of the block meet once. `shared` has a float for each warp of the block, and stays in use until the
/// block meets again: turn by turn another one.
template <int kThreads, class Operation>
__device__ __forceinline__ float reduce_row_once(float value, float* shared, Operation operation) {
#pragma unroll
  for (int step = (kThreads < 32 ? kThreads : 32) / 2; step > 0; step /= 2) {
    value = operation(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  constexpr int kWarps = kThreads / 32;
  const int warp = threadIdx.x / 32;
  if constexpr (kThreads > 32) {
    if (threadIdx.x % 32 == 0) {
      shared[warp] = value;
    }
  }
  __syncthreads();
  if constexpr (kThreads > 32) {
    const int first = warp / kWarps * kWarps;
    value = shared[first];
#pragma unroll
    for (int i = 1; i < kWarps; ++i) {
      value = operation(value, shared[first + i]);
    }
  }
  return value;
}

/// The same where threads need not meet within a warp, and `shared` is free again afterwards.
template <int kThreads, class Operation>
__device__ __forceinline__ float reduce_row(float value, float* shared, Operation operation) {
  if constexpr (kThreads <= 32) {
#pragma unroll
    for (int step = kThreads / 2; step > 0; step /= 2) {
      value = operation(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
  } else {
    value = reduce_row_once<kThreads>(value, shared, operation);
    __syncthreads();
  }
  return value;
}

}  // namespace opyard
