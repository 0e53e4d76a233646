// Splitting a kernel's work over torch's threads; serial in a forked child, whose OpenMP threads did not survive.
#pragma once

#include <ATen/Parallel.h>
#include <pthread.h>

#include <atomic>

#if !defined(_OPENMP) && !defined(OPYARD_SERIAL_KERNELS)
#error "Kernels are compiled with OpenMP: without it at::parallel_for runs on one thread."
#endif

namespace opyard::kernels {

inline std::atomic<bool> in_forked_child{false};

namespace OPYARD_ISA {

/// Called when kernels are registered, so that a later fork is seen.
inline void watch_forks() {
  [[maybe_unused]] static const int watched =
      pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true, std::memory_order_relaxed); });
}

/// body(begin, end) over ranges of [0, count), each of `grain` items or more.
template <class Body>
inline void parallel_ranges(std::int64_t count, std::int64_t grain, const Body& body) {
  if (count <= 0) {
    return;
  }
  if (count <= grain || in_forked_child.load(std::memory_order_relaxed)) {
    body(0, count);
  } else {
    at::parallel_for(0, count, grain, body);
  }
}

}  // namespace OPYARD_ISA
}  // namespace opyard::kernels
