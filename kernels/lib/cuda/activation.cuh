// Activations of a float.
#pragma once

namespace opyard {

__device__ __forceinline__ float silu(float x) { return x / (1.0f + __expf(-x)); }

}  // namespace opyard
