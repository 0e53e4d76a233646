// Vectors of floats from and to float, bfloat16 and half memory. Two vectors at a time, so that each type fills one
// load.
#pragma once

#include <ATen/cpu/vec/functional.h>
#include <ATen/cpu/vec/vec.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace opyard::kernels::OPYARD_ISA {

using Lanes = at::vec::Vectorized<float>;
constexpr std::int64_t kLanes = Lanes::size();
constexpr std::int64_t kPair = 2 * kLanes;

struct Pair {
  Lanes low, high;
};

/// A template because the generic vector's own reduce_add does not compile.
template <class Vector>
inline float sum_of(const Vector& vector) {
  if constexpr (at::vec::is_vec_specialized_for_v<float>) {
    return vector.reduce_add();
  } else {
    float lanes[kLanes], sum = 0.0f;
    vector.store(lanes);
    for (float lane : lanes) {
      sum += lane;
    }
    return sum;
  }
}

template <class T>
inline Pair widen(const at::vec::Vectorized<T>& narrow) {
  auto [low, high] = at::vec::convert_to_float<T>(narrow);
  return {low, high};
}

template <class T>
inline Pair load_pair(const T* from) {
  if constexpr (std::is_same_v<T, float>) {
    return {Lanes::loadu(from), Lanes::loadu(from + kLanes)};
  } else {
    return widen<T>(at::vec::Vectorized<T>::loadu(from));
  }
}

/// The first `count` elements, then zeros; 0 < count <= kPair.
template <class T>
inline Pair load_pair(const T* from, std::int64_t count) {
  if (count == kPair) {
    return load_pair(from);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (count <= kLanes) {
      return {Lanes::loadu(from, count), Lanes(0.0f)};
    }
    return {Lanes::loadu(from), Lanes::loadu(from + kLanes, count - kLanes)};
  } else {
    return widen<T>(at::vec::Vectorized<T>::loadu(from, count));
  }
}

template <class T>
inline void store_pair(T* to, const Pair& pair) {
  if constexpr (std::is_same_v<T, float>) {
    pair.low.store(to);
    pair.high.store(to + kLanes);
  } else {
    at::vec::convert_from_float<T>(pair.low, pair.high).store(to);
  }
}

/// The first `count` elements; 0 < count <= kPair.
template <class T>
inline void store_pair(T* to, const Pair& pair, std::int64_t count) {
  if (count == kPair) {
    store_pair(to, pair);
  } else if constexpr (std::is_same_v<T, float>) {
    pair.low.store(to, std::min(count, kLanes));
    if (count > kLanes) {
      pair.high.store(to + kLanes, count - kLanes);
    }
  } else {
    at::vec::convert_from_float<T>(pair.low, pair.high).store(to, count);
  }
}

/// The pair as it is after a store and a load: rounded to T.
template <class T>
inline Pair rounded(const Pair& pair) {
  if constexpr (std::is_same_v<T, float>) {
    return pair;
  } else {
    return widen<T>(at::vec::convert_from_float<T>(pair.low, pair.high));
  }
}

/// Calls body(index, count) for each pair of a row of `size` elements: count is kPair but for a rest.
template <class Body>
inline void for_each_pair(std::int64_t size, const Body& body) {
  std::int64_t i = 0;
  for (; i + kPair <= size; i += kPair) {
    body(i, kPair);
  }
  if (i < size) {
    body(i, size - i);
  }
}

}  // namespace opyard::kernels::OPYARD_ISA
