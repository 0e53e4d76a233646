#include <build/build_event.h>
#include <registry/fork_lock.h>

#include <atomic>
#include <mutex>

namespace opyard {
namespace {

std::atomic<bool> is_heard{false};

// Leaked: threads may still build while statics are destroyed at exit. Guarded by LockRank::kBuild.
std::shared_ptr<const BuildListener>& current() {
  static auto& instance = *new std::shared_ptr<const BuildListener>;
  return instance;
}

}  // namespace

void set_build_listener(BuildListener listener) {
  auto next = listener ? std::make_shared<const BuildListener>(std::move(listener)) : nullptr;
  {
    std::lock_guard guard(lock_of(LockRank::kBuild));
    current().swap(next);
    is_heard.store(current() != nullptr, std::memory_order_relaxed);
  }
}

BuildWatch::BuildWatch() : heard_(is_heard.load(std::memory_order_relaxed)) {
  if (heard_) {
    begun_ = std::chrono::steady_clock::now();
  }
}

void BuildWatch::tell(const Implementation& implementation, const Value& identity, bool built, std::uint64_t hits,
                      std::uint64_t misses) const {
  if (!heard_) {
    return;
  }
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begun_;
  std::shared_ptr<const BuildListener> listener;
  {
    std::lock_guard guard(lock_of(LockRank::kBuild));
    listener = current();
  }
  if (listener != nullptr) {
    (*listener)({implementation.op, implementation.key, to_text(identity), built, taken.count(), hits, misses});
  }
}

}  // namespace opyard
