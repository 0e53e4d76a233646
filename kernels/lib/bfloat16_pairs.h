// Products of pairs of bfloat16 that lie side by side, summed in float32: what eager's oneDNN computes with.
#pragma once

#include <lib/half_lanes.h>

namespace opyard::kernels::OPYARD_ISA {

#if defined(CPU_CAPABILITY_AVX512)

constexpr bool kBFloat16Pairs = true;

inline bool processor_has_bfloat16_pairs() { return __builtin_cpu_supports("avx512bf16"); }

/// Then oneDNN multiplies whole tiles in one instruction, ahead of any pairs.
inline bool processor_has_bfloat16_tiles() { return __builtin_cpu_supports("amx-bf16"); }

// As assembly, because the compiler's own form needs a flag that would let it use the instruction anywhere.
inline Lanes add_pairs(const Lanes& a, const Lanes& b, const Lanes& sum) {
  __m512 result = sum;
  asm("vdpbf16ps %2, %1, %0" : "+v"(result) : "v"(static_cast<__m512>(a)), "v"(static_cast<__m512>(b)));
  return result;
}

inline HalfLanes add_pairs(const HalfLanes& a, const HalfLanes& b, const HalfLanes& sum) {
  __m256 result = sum.values();
  asm("vdpbf16ps %2, %1, %0" : "+v"(result) : "v"(a.values()), "v"(b.values()));
  return HalfLanes(result);
}

#else

constexpr bool kBFloat16Pairs = false;

inline bool processor_has_bfloat16_pairs() { return false; }
inline bool processor_has_bfloat16_tiles() { return false; }

#endif

}  // namespace opyard::kernels::OPYARD_ISA
