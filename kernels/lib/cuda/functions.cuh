// Functions of a float. NaN goes through all of them.
#pragma once

namespace opyard {

__device__ __forceinline__ float silu(float x) { return x / (1.0f + __expf(-x)); }

__device__ __forceinline__ float clamp(float x, float least, float most) {
  return x < least ? least : x > most ? most : x;
}

__device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

__device__ __forceinline__ float softplus(float x, float beta, float threshold) {
  return x * beta > threshold ? x : log1pf(expf(x * beta)) / beta;
}

__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f)); }

__device__ __forceinline__ float gelu_tanh(float x) {
  return 0.5f * x * (1.0f + tanhf(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}

__device__ __forceinline__ float elu(float x, float alpha) { return x > 0.0f ? x : alpha * expm1f(x); }

__device__ __forceinline__ float larger(float x, float y) { return x != x ? x : y != y ? y : x > y ? x : y; }
__device__ __forceinline__ float smaller(float x, float y) { return x != x ? x : y != y ? y : x < y ? x : y; }

}  // namespace opyard
