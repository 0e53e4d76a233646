// The one kernel of every function of one or two numbers: a source that includes this defines the function.
#pragma once

#include <lib/cuda/pack.cuh>

namespace opyard {

/// The numbers that a function takes beside its elements.
struct Numbers {
  float a, b;
};

/// y = Function()(x, other), rounded once. A thread has a unit: a pack where kPacked, else an element. kOther: 0 where
/// there is no second operand, 1 where it is one number for all, 2 where it has an element for each.
template <class Function, class T, bool kPacked, int kOther>
__global__ void __launch_bounds__(256) elementwise(const T* x, const T* other, T* y, long long units, Numbers numbers) {
  using Unit = Items<T, kPacked ? Pack<T>::kSize : 1>;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= units) {
    return;
  }
  const Function function{numbers.a, numbers.b};
  Unit unit = reinterpret_cast<const Unit*>(x)[i], second{};
  if constexpr (kOther == 2) {
    second = reinterpret_cast<const Unit*>(other)[i];
  }
#pragma unroll
  for (int j = 0; j < Unit::kSize; ++j) {
    const float left = to_float(unit.items[j]);
    if constexpr (kOther == 0) {
      from_float(function(left), unit.items[j]);
    } else {
      from_float(function(left, to_float(kOther == 1 ? *other : second.items[j])), unit.items[j]);
    }
  }
  reinterpret_cast<Unit*>(y)[i] = unit;
}

}  // namespace opyard
