// A row times a number and, element by element, a weight: the end of every root mean square norm.
#pragma once

#include <lib/lanes.h>

namespace opyard::kernels::OPYARD_ISA {

/// `weight` may be null. Products in float32, rounded once where they are stored.
template <class From, class T>
void scale_row(const From* x, const T* weight, T* out, float scale, std::int64_t size) {
  const Lanes factor(scale);
  for_each_pair(size, [&](std::int64_t i, std::int64_t count) {
    const Pair v = load_pair(x + i, count);
    Pair scaled = {v.low * factor, v.high * factor};
    if (weight != nullptr) {
      const Pair w = load_pair(weight + i, count);
      scaled = {scaled.low * w.low, scaled.high * w.high};
    }
    store_pair(out + i, scaled, count);
  });
}

}  // namespace opyard::kernels::OPYARD_ISA
