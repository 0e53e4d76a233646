#include <opyard/error.h>
#include <override/catalogue_routes.h>
#include <override/route_switch.h>
#include <override/routes.h>
#include <registry/fork_lock.h>

#include <deque>
#include <mutex>

namespace opyard {

std::array<std::atomic<std::uint64_t>, kMaxRoutes / 64> process_routes{};
constinit thread_local RouteBits thread_routes{};

namespace {

struct Route {
  RouteDeclaration declared;
  OverrideHandle handle;  // while somebody uses it
  OverrideCounts before;  // what handles counted that are gone
  int process_users = 0;
  int users = 0;
};

// Leaked with what it holds: the routers call into it for as long as the process lives. Guarded by LockRank::kRoutes.
std::deque<Route>& table() {
  static auto& instance = *new std::deque<Route>;
  return instance;
}

thread_local std::array<std::uint16_t, kMaxRoutes> thread_users{};

void add_declared() {
  std::deque<Route>& all = table();
  for (RouteDeclaration& declared : catalogue_routes()) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Route& route) {
      return route.declared.op == declared.op && route.declared.aten == declared.aten &&
             route.declared.key == declared.key;
    });
    if (!known && all.size() < kMaxRoutes) {
      all.push_back({std::move(declared), {}, {}});
    }
  }
}

Route& route_at(std::size_t number) {
  if (number >= table().size()) {
    throw ContractError(SignatureError::Kind::kValue, "no route has this number",
                        {.expected = "less than " + std::to_string(table().size()),
                         .got = std::to_string(number),
                         .advice = "take the numbers from routes()"});
  }
  return table()[number];
}

void set_bit(std::size_t number, RouteScope scope, bool on) {
  const std::uint64_t bit = std::uint64_t{1} << (number % 64);
  if (scope == RouteScope::kThread) {
    std::uint64_t& word = thread_routes[number / 64];
    word = on ? word | bit : word & ~bit;
  } else if (on) {
    process_routes[number / 64].fetch_or(bit, std::memory_order_relaxed);
  } else {
    process_routes[number / 64].fetch_and(~bit, std::memory_order_relaxed);
  }
}

void use(std::size_t number, RouteScope scope) {
  Route& route = route_at(number);
  if (route.users == 0) {
    route.handle = route.declared.install(number);
  }
  ++route.users;
  const int users = scope == RouteScope::kThread ? ++thread_users[number] : ++route.process_users;
  if (users == 1) {
    set_bit(number, scope, true);
  }
}

void leave(std::size_t number, RouteScope scope) {
  Route& route = route_at(number);
  const bool thread = scope == RouteScope::kThread;
  if ((thread ? thread_users[number] : route.process_users) == 0) {
    return;
  }
  const int users = thread ? --thread_users[number] : --route.process_users;
  if (users == 0) {
    set_bit(number, scope, false);
  }
  if (--route.users == 0) {
    const OverrideCounts counted = route.handle.counts();
    route.before.hits += counted.hits;
    route.before.falls += counted.falls;
    route.handle.remove();
  }
}

}  // namespace

std::vector<RouteReport> routes() {
  std::lock_guard guard(lock_of(LockRank::kRoutes));
  add_declared();
  std::vector<RouteReport> reports;
  for (std::size_t number = 0; number < table().size(); ++number) {
    const Route& route = table()[number];
    const OverrideCounts now = route.handle.counts();
    reports.push_back({route.declared.op, route.declared.aten, route.declared.key, route_is_on(number),
                       route.before.hits + now.hits, route.before.falls + now.falls});
  }
  return reports;
}

void use_routes(const std::vector<std::size_t>& numbers, RouteScope scope) {
  std::lock_guard guard(lock_of(LockRank::kRoutes));
  std::vector<std::size_t> used;
  try {
    for (const std::size_t number : numbers) {
      use(number, scope);
      used.push_back(number);
    }
  } catch (...) {
    for (const std::size_t number : used) {
      leave(number, scope);
    }
    throw;
  }
}

void leave_routes(const std::vector<std::size_t>& numbers, RouteScope scope) {
  std::lock_guard guard(lock_of(LockRank::kRoutes));
  for (const std::size_t number : numbers) {
    leave(number, scope);
  }
}

}  // namespace opyard
