// Four rows of floats as columns, up to one vector of them at a time.
#pragma once

#include <lib/lanes.h>

namespace opyard::kernels::OPYARD_ISA {

#if defined(CPU_CAPABILITY_AVX512) || defined(CPU_CAPABILITY_AVX2)

#if defined(CPU_CAPABILITY_AVX512)
inline Lanes pairs_low(const Lanes& a, const Lanes& b) {
  return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}
inline Lanes pairs_high(const Lanes& a, const Lanes& b) {
  return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}
inline Lanes low(const Lanes& a, const Lanes& b) { return _mm512_unpacklo_ps(a, b); }
inline Lanes high(const Lanes& a, const Lanes& b) { return _mm512_unpackhi_ps(a, b); }
template <int Q>
inline __m128 quarter(const Lanes& a) {
  return _mm512_extractf32x4_ps(a, Q);
}
#else
inline Lanes pairs_low(const Lanes& a, const Lanes& b) {
  return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}
inline Lanes pairs_high(const Lanes& a, const Lanes& b) {
  return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}
inline Lanes low(const Lanes& a, const Lanes& b) { return _mm256_unpacklo_ps(a, b); }
inline Lanes high(const Lanes& a, const Lanes& b) { return _mm256_unpackhi_ps(a, b); }
template <int Q>
inline __m128 quarter(const Lanes& a) {
  return _mm256_extractf128_ps(a, Q);
}
#endif

/// Four columns that lie in 128 bits Q of each.
template <int Q>
inline void store_quarter(const Lanes (&columns)[4], float* to, std::int64_t stride) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm_storeu_ps(to + (4 * Q + i) * stride, quarter<Q>(columns[i]));
  }
}

/// to[i * to_stride + r] = from[r * from_stride + i] for four r and `count` i, a multiple of four, up to kLanes.
/// All of the vectors is read.
inline void transpose_four(const float* from, std::int64_t from_stride, std::int64_t count, float* to,
                           std::int64_t to_stride) {
  const Lanes a = Lanes::loadu(from), b = Lanes::loadu(from + from_stride);
  const Lanes c = Lanes::loadu(from + 2 * from_stride), d = Lanes::loadu(from + 3 * from_stride);
  const Lanes ab_low = low(a, b), ab_high = high(a, b), cd_low = low(c, d), cd_high = high(c, d);
  const Lanes columns[4] = {pairs_low(ab_low, cd_low), pairs_high(ab_low, cd_low), pairs_low(ab_high, cd_high),
                            pairs_high(ab_high, cd_high)};
  store_quarter<0>(columns, to, to_stride);
  if (count > 4) {
    store_quarter<1>(columns, to, to_stride);
  }
  if constexpr (kLanes == 16) {
    if (count > 8) {
      store_quarter<2>(columns, to, to_stride);
    }
    if (count > 12) {
      store_quarter<3>(columns, to, to_stride);
    }
  }
}

#else

inline void transpose_four(const float* from, std::int64_t from_stride, std::int64_t count, float* to,
                           std::int64_t to_stride) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t r = 0; r < 4; ++r) {
      to[i * to_stride + r] = from[r * from_stride + i];
    }
  }
}

#endif

}  // namespace opyard::kernels::OPYARD_ISA
