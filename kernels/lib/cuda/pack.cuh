// Packs: sixteen bytes of elements, what a thread loads and stores at once.
#pragma once

#include <lib/cuda/dtypes.cuh>

namespace opyard {

template <class T, int kCount>
struct alignas(kCount * sizeof(T)) Items {
  static constexpr int kSize = kCount;
  T items[kCount];
};

/// The first type where kFirst, else the second.
template <bool kFirst, class A, class B>
struct Either {
  using Type = A;
};
template <class A, class B>
struct Either<false, A, B> {
  using Type = B;
};

template <class T>
using Pack = Items<T, 16 / static_cast<int>(sizeof(T))>;

template <class T, int kCount>
__device__ __forceinline__ Items<T, kCount> load(const Items<T, kCount>* from) {
  Items<T, kCount> pack;
  reinterpret_cast<uint4&>(pack) = *reinterpret_cast<const uint4*>(from);
  return pack;
}

template <class T, int kCount>
__device__ __forceinline__ void store(Items<T, kCount>* to, const Items<T, kCount>& pack) {
  *reinterpret_cast<uint4*>(to) = reinterpret_cast<const uint4&>(pack);
}

}  // namespace opyard
