// Which routes are on: a bit for each, for the process and for the thread that calls.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace opyard {

/// Routes that a process can have.
constexpr std::size_t kMaxRoutes = 128;

using RouteBits = std::array<std::uint64_t, kMaxRoutes / 64>;

extern std::array<std::atomic<std::uint64_t>, kMaxRoutes / 64> process_routes;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local RouteBits thread_routes;

/// Whether this thread's calls take the route with that number.
inline bool route_is_on(std::size_t route) {
  const std::uint64_t on = process_routes[route / 64].load(std::memory_order_relaxed) | thread_routes[route / 64];
  return (on >> (route % 64) & 1) != 0;
}

}  // namespace opyard
