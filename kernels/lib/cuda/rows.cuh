// Kernels for every function of a row: y = function(x + residual) * weight + bias, and x + residual itself.
#pragma once

#include <lib/cuda/pack.cuh>
#include <lib/cuda/row_functions.cuh>

namespace opyard {

/// What a launch is given; the host has the same in lib/cuda/row_kernel.h. Strides are between rows, in elements.
template <class T>
struct RowTensors {
  const T *x, *residual, *weight, *bias;
  T *y, *total;
  long long rows, columns, stride, residual_stride;
  float eps;
};

/// Which of them are there.
template <bool kHasResidual, bool kHasWeight, bool kHasBias>
struct Parts {
  static constexpr bool kResidual = kHasResidual, kWeight = kHasWeight, kBias = kHasBias;
};

/// All passes from kNumber on. `each(use)` calls use(value) for this thread's elements of the row.
template <int kThreads, int kNumber, class Function, class Each>
__device__ __forceinline__ void run_passes(Function& function, const Each& each, float* shared) {
  if constexpr (kNumber < Function::kPasses) {
    using Fold = decltype(Function::fold(Pass<kNumber>{}));
    float folded = Fold::start();
    each([&](float value) { folded = Fold::of(folded, function.term(Pass<kNumber>{}, value)); });
    function.settle(Pass<kNumber>{}, fold_row<Fold, kThreads>(folded, shared));
    run_passes<kThreads, kNumber + 1>(function, each, shared);
  }
}

/// Where a thread of held_rows works: its row, and which packs of it are its own.
template <class T, int kThreads, int kRows, int kPacks, bool kFull>
struct Place {
  static constexpr int kSize = Pack<T>::kSize, kCount = kPacks;
  int thread, packs;
  long long row;
  bool inside;

  __device__ explicit Place(const RowTensors<T>& t)
      : thread(threadIdx.x % kThreads),
        packs(static_cast<int>(t.columns) / kSize),
        row(static_cast<long long>(blockIdx.x) * kRows + threadIdx.x / kThreads),
        inside(row < t.rows) {}

  __device__ bool has(int i) const { return kFull || thread + i * kThreads < packs; }
  __device__ const Pack<T>* pack(const T* begin, int i) const {
    return reinterpret_cast<const Pack<T>*>(begin) + thread + i * kThreads;
  }
  __device__ Pack<T>* pack(T* begin, int i) const { return reinterpret_cast<Pack<T>*>(begin) + thread + i * kThreads; }
  __device__ Pack<T> read(const T* begin, int i) const { return inside && has(i) ? load(pack(begin, i)) : Pack<T>{}; }
};

/// The row itself.
template <class T, class Place>
__device__ __forceinline__ void hold(const RowTensors<T>& t, const Place& place,
                                     Items<T, Place::kSize> (&values)[Place::kCount]) {
#pragma unroll
  for (int i = 0; i < Place::kCount; ++i) {
    values[i] = place.read(t.x + place.row * t.stride, i);
  }
}

/// The row plus the residual's, in float32, and written as it is rounded.
template <class T, class Place>
__device__ __forceinline__ void hold_sum(const RowTensors<T>& t, const Place& place,
                                         Items<float, Place::kSize> (&values)[Place::kCount]) {
  Pack<T> left[Place::kCount], right[Place::kCount];
#pragma unroll
  for (int i = 0; i < Place::kCount; ++i) {
    left[i] = place.read(t.x + place.row * t.stride, i);
    right[i] = place.read(t.residual + place.row * t.residual_stride, i);
  }
#pragma unroll
  for (int i = 0; i < Place::kCount; ++i) {
#pragma unroll
    for (int j = 0; j < Place::kSize; ++j) {
      values[i].items[j] = to_float(left[i].items[j]) + to_float(right[i].items[j]);
      from_float(values[i].items[j], left[i].items[j]);
    }
    if (place.inside && place.has(i)) {
      store(place.pack(t.total + place.row * t.columns, i), left[i]);
    }
  }
}

/// A pack of the result from the values held of it.
template <class Parts, class T, class Function, class Values>
__device__ __forceinline__ Pack<T> finished(const Function& function, const Values& values, const Pack<T>& scales,
                                            const Pack<T>& shifts) {
  Pack<T> done;
#pragma unroll
  for (int j = 0; j < Pack<T>::kSize; ++j) {
    float value = function.value(to_float(values.items[j]));
    if constexpr (Parts::kWeight) {
      value *= to_float(scales.items[j]);
    }
    if constexpr (Parts::kBias) {
      value += to_float(shifts.items[j]);
    }
    from_float(value, done.items[j]);
  }
  return done;
}

/// A row is shared by kThreads threads, each with kPacks packs of it in registers, so that it is read once; a block has
/// kRows rows. Blocks are small, so that several share a multiprocessor and their phases of reading and writing
/// overlap. The weight is read ahead of the folds where that leaves registers for a second block. kFull: the packs of
/// the threads are the row, and none has to ask. kBlocks of them are to share a multiprocessor's registers.
template <template <class> class RowFunction, class T, class Parts, int kThreads, int kRows, int kPacks, bool kFull,
          int kBlocks>
__global__ void __launch_bounds__(kThreads* kRows, kBlocks) held_rows(RowTensors<T> t) {
  constexpr bool kAhead = Parts::kWeight && !Parts::kResidual && kThreads <= 256;
  using Element = typename Either<Parts::kResidual, float, T>::Type;  // a sum is not rounded before it is folded
  __shared__ float shared[kThreads * kRows / 32 + 1];
  const Place<T, kThreads, kRows, kPacks, kFull> place(t);
  Items<Element, Pack<T>::kSize> values[kPacks];
  if constexpr (Parts::kResidual) {
    hold_sum(t, place, values);
  } else {
    hold(t, place, values);
  }
  Pack<T> scales[kPacks], shifts{};
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    if (kAhead && place.has(i)) {
      scales[i] = load(place.pack(t.weight, i));
    }
  }

  RowFunction<T> function{static_cast<float>(t.columns), t.eps};
  const auto each = [&](auto use) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
#pragma unroll
      for (int j = 0; j < Pack<T>::kSize; ++j) {
        if (place.has(i)) {
          use(to_float(values[i].items[j]));
        }
      }
    }
  };
  run_passes<kThreads, 0>(function, each, shared);
  if (!place.inside) {
    return;
  }
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    if (place.has(i)) {
      if constexpr (Parts::kWeight && !kAhead) {
        scales[i] = load(place.pack(t.weight, i));
      }
      if constexpr (Parts::kBias) {
        shifts = load(place.pack(t.bias, i));
      }
      store(place.pack(t.y + place.row * t.columns, i), finished<Parts>(function, values[i], scales[i], shifts));
    }
  }
}

/// Rows of any width and alignment, one a block, read in every pass: an element at a time, or a pack where kPacked.
template <template <class> class RowFunction, class T, class Parts, int kThreads, bool kPacked>
__global__ void __launch_bounds__(kThreads) read_rows(RowTensors<T> t) {
  using Unit = Items<T, kPacked ? Pack<T>::kSize : 1>;
  constexpr int kSize = Unit::kSize;
  __shared__ float shared[kThreads / 32];
  const long long row = blockIdx.x, units = t.columns / kSize;
  const Unit* from = reinterpret_cast<const Unit*>(t.x + row * t.stride);
  const Unit* residual_from = reinterpret_cast<const Unit*>(t.residual + row * t.residual_stride);
  const auto unit_at = [&](long long i) {
    Items<float, kSize> wide;
    const Unit own = from[i];
    Unit other{};
    if constexpr (Parts::kResidual) {
      other = residual_from[i];
    }
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      wide.items[j] = to_float(own.items[j]) + (Parts::kResidual ? to_float(other.items[j]) : 0.0f);
    }
    return wide;
  };

  RowFunction<T> function{static_cast<float>(t.columns), t.eps};
  run_passes<kThreads, 0>(
      function,
      [&](auto use) {
        for (long long i = threadIdx.x; i < units; i += kThreads) {
          const auto values = unit_at(i);
#pragma unroll
          for (int j = 0; j < kSize; ++j) {
            use(values.items[j]);
          }
        }
      },
      shared);

  Unit* to = reinterpret_cast<Unit*>(t.y + row * t.columns);
  Unit* total_to = reinterpret_cast<Unit*>(t.total + row * t.columns);
  for (long long i = threadIdx.x; i < units; i += kThreads) {
    const auto values = unit_at(i);
    Unit done, total;
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      float value = function.value(values.items[j]);
      if constexpr (Parts::kWeight) {
        value *= to_float(t.weight[i * kSize + j]);
      }
      if constexpr (Parts::kBias) {
        value += to_float(t.bias[i * kSize + j]);
      }
      from_float(value, done.items[j]);
      from_float(values.items[j], total.items[j]);
    }
    to[i] = done;
    if constexpr (Parts::kResidual) {
      total_to[i] = total;
    }
  }
}

}  // namespace opyard
