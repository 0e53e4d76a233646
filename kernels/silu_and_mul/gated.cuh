// out = silu(gate) * up of the two halves of each row; silu is rounded to the dtype first, as eager torch rounds it.
#pragma once

#include <lib/cuda/functions.cuh>
#include <lib/cuda/pack.cuh>

namespace opyard {

/// A thread has one unit of the output: a pack where kPacked, else an element. `width` is a half's, in elements.
template <class T, bool kPacked>
__global__ void __launch_bounds__(256)
    silu_and_mul(const T* input, T* out, long long rows, long long width, long long row_stride) {
  using Unit = Items<T, kPacked ? Pack<T>::kSize : 1>;
  const long long units = width / Unit::kSize;
  const long long index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= rows * units) {
    return;
  }
  const long long row = index / units, column = index % units * Unit::kSize;
  const T* from = input + row * row_stride + column;
  const Unit gate = *reinterpret_cast<const Unit*>(from), up = *reinterpret_cast<const Unit*>(from + width);
  Unit done;
#pragma unroll
  for (int i = 0; i < Unit::kSize; ++i) {
    T activated;
    from_float(silu(to_float(gate.items[i])), activated);
    from_float(to_float(activated) * to_float(up.items[i]), done.items[i]);
  }
  *reinterpret_cast<Unit*>(out + row * width + column) = done;
}

}  // namespace opyard
