// Mutexes that survive fork: a child gets every one of them unlocked and what it guards consistent.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace opyard {

/// Ranks give the order in which fork takes the locks, and in which nested code must.
enum class LockRank { kRoutes, kRegistry, kInstances, kPlans, kBuild, kEpoch, kPoints, kInstall, kOverrides, kCount };

/// The one mutex of a rank. Lives as long as the process.
std::mutex& lock_of(LockRank rank);

/// Counts forks in this process's ancestry: work that another thread had in flight before one is nobody's after it.
std::uint64_t fork_generation();

/// Runs in a forked child after the locks were made anew, single-threaded. Called once for each function.
void at_fork_in_child(void (*function)());

}  // namespace opyard
