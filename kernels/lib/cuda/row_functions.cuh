// Functions of a row: what is folded over its elements, pass by pass, and each element's value afterwards.
#pragma once

#include <lib/cuda/reduce.cuh>

namespace opyard {

template <int kNumber>
struct Pass {};

/// x / sqrt(mean(x^2) + eps).
template <class T>
struct RmsNorm {
  static constexpr int kPasses = 1;
  float columns, eps, factor = 0.0f;

  static __device__ Sum fold(Pass<0>) { return {}; }
  __device__ float term(Pass<0>, float value) const { return value * value; }
  __device__ void settle(Pass<0>, float sum) { factor = rsqrtf(sum / columns + eps); }

  __device__ float value(float value) const { return value * factor; }
};

/// (x - mean(x)) / sqrt(var(x) + eps); the variance is of the differences from the mean, so that nothing cancels.
template <class T>
struct LayerNorm {
  static constexpr int kPasses = 2;
  float columns, eps, mean = 0.0f, factor = 0.0f;

  static __device__ Sum fold(Pass<0>) { return {}; }
  __device__ float term(Pass<0>, float value) const { return value; }
  __device__ void settle(Pass<0>, float sum) { mean = sum / columns; }

  static __device__ Sum fold(Pass<1>) { return {}; }
  __device__ float term(Pass<1>, float value) const { return (value - mean) * (value - mean); }
  __device__ void settle(Pass<1>, float sum) { factor = rsqrtf(sum / columns + eps); }

  __device__ float value(float value) const { return (value - mean) * factor; }
};

/// Of a difference that is at most 0; to the last bits only where the result keeps them.
template <class T>
__device__ __forceinline__ float exponential(float difference) {
  return sizeof(T) < 4 ? __expf(difference) : expf(difference);
}

/// What softmax and its logarithm share.
template <class T>
struct Exponentials {
  static constexpr int kPasses = 2;
  float columns, eps, largest = 0.0f, sum = 0.0f;

  static __device__ Largest fold(Pass<0>) { return {}; }
  __device__ float term(Pass<0>, float value) const { return value; }
  __device__ void settle(Pass<0>, float folded) { largest = folded; }

  static __device__ Sum fold(Pass<1>) { return {}; }
  __device__ float term(Pass<1>, float value) const { return exponential<T>(value - largest); }
};

template <class T>
struct Softmax : Exponentials<T> {
  using Exponentials<T>::settle;
  __device__ void settle(Pass<1>, float folded) { this->sum = 1.0f / folded; }
  __device__ float value(float value) const { return exponential<T>(value - this->largest) * this->sum; }
};

template <class T>
struct LogSoftmax : Exponentials<T> {
  using Exponentials<T>::settle;
  __device__ void settle(Pass<1>, float folded) { this->sum = logf(folded); }
  __device__ float value(float value) const { return value - this->largest - this->sum; }
};

}  // namespace opyard
