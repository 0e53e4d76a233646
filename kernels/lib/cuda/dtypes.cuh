// bfloat16, float16 and float32 elements as they lie in memory, and their values as floats. No header of the toolkit is
// needed.
#pragma once

namespace opyard {

struct bfloat16 {
  unsigned short bits;
};

struct float16 {
  unsigned short bits;
};

__device__ __forceinline__ float to_float(float value) { return value; }

__device__ __forceinline__ float to_float(bfloat16 value) {
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
}

__device__ __forceinline__ float to_float(float16 value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}

__device__ __forceinline__ void from_float(float value, float& narrow) { narrow = value; }

/// These round to nearest even.
__device__ __forceinline__ void from_float(float value, bfloat16& narrow) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
}

__device__ __forceinline__ void from_float(float value, float16& narrow) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(value));
}

}  // namespace opyard
