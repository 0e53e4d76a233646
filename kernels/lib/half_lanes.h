// Half a vector, where the processor adds up two of them in the time of a whole one: less padding of rows.
#pragma once

#include <lib/lanes.h>

namespace opyard::kernels::OPYARD_ISA {

#if defined(CPU_CAPABILITY_AVX512)

constexpr int kUnitsPerVector = 2;

class HalfLanes {
 public:
  explicit HalfLanes(__m256 values) : values_(values) {}
  explicit HalfLanes(const Lanes& whole) : values_(_mm512_castps512_ps256(whole)) {}

  static HalfLanes loadu(const float* from) { return HalfLanes(_mm256_loadu_ps(from)); }
  __m256 values() const { return values_; }
  void store(float* to) const { _mm256_storeu_ps(to, values_); }

  friend HalfLanes fmadd(const HalfLanes& a, const HalfLanes& b, const HalfLanes& c) {
    return HalfLanes(_mm256_fmadd_ps(a.values_, b.values_, c.values_));
  }
  friend HalfLanes operator+(const HalfLanes& a, const HalfLanes& b) {
    return HalfLanes(_mm256_add_ps(a.values_, b.values_));
  }

 private:
  __m256 values_;
};

#else

// No vector is halved.
constexpr int kUnitsPerVector = 1;
using HalfLanes = Lanes;

#endif

/// What rows are padded to.
constexpr std::int64_t kUnit = kLanes / kUnitsPerVector;

}  // namespace opyard::kernels::OPYARD_ISA
