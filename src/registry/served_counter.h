// Calls that an implementation served, counted over all instances.
#pragma once

#include <registry/epoch.h>

#include <array>

namespace opyard {

/// Threads count in different places, so that they do not pass one cache line around. Lives as long as its registry.
class ServedCounter {
 public:
  /// The thread is inside an EpochScope.
  void count(const ThreadState& thread) {
    places_[thread.slot->number % kPlaces].calls.fetch_add(1, std::memory_order_relaxed);
  }

  std::uint64_t calls() const {
    std::uint64_t sum = 0;
    for (const Place& place : places_) sum += place.calls.load(std::memory_order_relaxed);
    return sum;
  }

  void reset() {
    for (Place& place : places_) place.calls.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kPlaces = 8;
  struct alignas(64) Place {
    std::atomic<std::uint64_t> calls{0};
  };
  std::array<Place, kPlaces> places_;
};

}  // namespace opyard
