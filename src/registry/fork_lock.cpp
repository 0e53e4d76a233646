#include <pthread.h>
#include <registry/fork_lock.h>

#include <array>
#include <atomic>
#include <new>

namespace opyard {
namespace {

constexpr std::size_t kRanks = static_cast<std::size_t>(LockRank::kCount);
constexpr std::size_t kMaxHooks = 8;

struct State {
  std::array<std::mutex, kRanks> mutexes;
  std::array<std::atomic<void (*)()>, kMaxHooks> hooks{};  // without a lock: whoever adds one may hold any
  std::atomic<std::size_t> hook_count{0};
  std::uint64_t generation = 0;
};

void take_all();
void give_all();
void renew_in_child();

// Leaked: threads may still call while statics are destroyed at exit.
State& state() {
  static State& instance = [&]() -> State& {
    auto* made = new State;
    pthread_atfork(take_all, give_all, renew_in_child);
    return *made;
  }();
  return instance;
}

void take_all() {
  for (auto& mutex : state().mutexes) mutex.lock();
}

void give_all() {
  for (auto& mutex : state().mutexes) mutex.unlock();
}

void renew_in_child() {
  State& s = state();
  for (auto& mutex : s.mutexes) new (&mutex) std::mutex;
  ++s.generation;
  for (const auto& hook : s.hooks)
    if (void (*const function)() = hook.load()) function();
}

}  // namespace

std::mutex& lock_of(LockRank rank) { return state().mutexes[static_cast<std::size_t>(rank)]; }

std::uint64_t fork_generation() { return state().generation; }

void at_fork_in_child(void (*function)()) {
  State& s = state();
  s.hooks.at(s.hook_count++) = function;
}

}  // namespace opyard
