// The sums of the lanes of four vectors at once: fewer shuffles than four sums one by one.
#pragma once

#include <lib/lanes.h>

namespace opyard::kernels::OPYARD_ISA {

#if defined(CPU_CAPABILITY_AVX512)

inline void sum_four(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d, float* sums) {
  const __m512 ab = _mm512_add_ps(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  const __m512 cd = _mm512_add_ps(_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
  const __m512 quarters = _mm512_add_ps(_mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)),
                                        _mm512_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
  const __m256 halves = _mm256_add_ps(_mm512_castps512_ps256(quarters), _mm512_extractf32x8_ps(quarters, 1));
  _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
}

#elif defined(CPU_CAPABILITY_AVX2)

inline void sum_four(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d, float* sums) {
  const __m256 ab = _mm256_hadd_ps(a, b), cd = _mm256_hadd_ps(c, d);
  const __m256 halves = _mm256_hadd_ps(ab, cd);
  _mm_storeu_ps(sums, _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps(halves, 1)));
}

#else

inline void sum_four(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d, float* sums) {
  sums[0] = sum_of(a);
  sums[1] = sum_of(b);
  sums[2] = sum_of(c);
  sums[3] = sum_of(d);
}

#endif

}  // namespace opyard::kernels::OPYARD_ISA
