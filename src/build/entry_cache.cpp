#include <build/build_event.h>
#include <build/entry_cache.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>

#include <exception>
#include <thread>

namespace opyard {

/// One build in flight, guarded by LockRank::kBuild.
struct EntryCache::Pending {
  explicit Pending(Value identity) : identity(std::move(identity)) {}

  Value identity;
  bool done = false;
  std::uint64_t generation = fork_generation();
  std::thread::id builder = std::this_thread::get_id();
  std::exception_ptr error;
  std::shared_ptr<const Kernel> kernel;
  std::condition_variable finished;
};

std::shared_ptr<const Kernel> EntryCache::get_or_build(const Implementation& implementation, const Entry& entry,
                                                       bool& built_here) {
  built_here = false;
  const Key key{&implementation, &entry.identity};
  std::unique_lock lock(lock_of(LockRank::kBuild));
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    return found->second->kernel;
  }

  auto in_flight = pending_.find(key);
  // A build that another thread had in flight before a fork has nobody to finish it in the child.
  if (in_flight != pending_.end() && in_flight->second->generation != fork_generation()) {
    pending_.erase(in_flight);
    in_flight = pending_.end();
  }
  if (in_flight != pending_.end()) {
    const std::shared_ptr<Pending> other = in_flight->second;
    if (other->builder == std::this_thread::get_id())
      throw BuildError("a kernel's build asks for the kernel that it builds",
                       {.op = implementation.op, .argument = implementation.key, .got = to_text(entry.identity)});
    other->finished.wait(lock, [&] { return other->done; });
    if (other->error) std::rethrow_exception(other->error);
    return other->kernel;
  }
  const auto pending = std::make_shared<Pending>(entry.identity);
  pending_.emplace(Key{&implementation, &pending->identity}, pending);
  lock.unlock();
  built_here = true;
  return build(implementation, entry, *pending);
}

std::shared_ptr<const Kernel> EntryCache::build(const Implementation& implementation, const Entry& entry,
                                                Pending& pending) {
  const BuildWatch watch;
  std::shared_ptr<const Kernel> kernel;
  std::exception_ptr error;
  try {
    kernel = entry.build();
    builds_.fetch_add(1, std::memory_order_relaxed);
    if (kernel == nullptr)
      throw ContractError(SignatureError::Kind::kValue, "an implementation's build returned no kernel",
                          {.op = implementation.op, .argument = implementation.key, .expected = "a Kernel"});
  } catch (...) {
    error = std::current_exception();  // handed to this caller and to every waiter below
  }
  std::shared_ptr<const Kernel> evicted;  // destroyed without the lock
  {
    std::lock_guard lock(lock_of(LockRank::kBuild));
    if (!error) {
      evicted = make_room();
      built_.push_back({&implementation, entry.identity, kernel});
      by_key_.emplace(built_.back().key(), std::prev(built_.end()));
    }
    pending.done = true;
    pending.error = error;
    pending.kernel = kernel;
    pending.finished.notify_all();
    pending_.erase(Key{&implementation, &entry.identity});
  }
  watch.tell(implementation, entry.identity, !error, hits_.load(std::memory_order_relaxed), builds());
  if (error) std::rethrow_exception(error);
  return kernel;
}

std::shared_ptr<const Kernel> EntryCache::make_room() {
  constexpr int kPatience = 16;  // entries in use that are passed over before the cache grows instead
  if (built_.size() < capacity_ || built_.empty()) return nullptr;
  for (int i = 0; i < kPatience; ++i) {
    const auto first = built_.begin();
    if (first->kernel.use_count() != 1) {
      built_.splice(built_.end(), built_, first);
      continue;
    }
    std::shared_ptr<const Kernel> evicted = std::move(first->kernel);
    by_key_.erase(first->key());
    built_.erase(first);
    evictions_.fetch_add(1, std::memory_order_relaxed);
    return evicted;
  }
  return nullptr;
}

void EntryCache::drop_unused(const Implementation& implementation, const Value& identity) {
  std::list<Built> last;  // destroyed outside the lock
  std::lock_guard guard(lock_of(LockRank::kBuild));
  const auto found = by_key_.find(Key{&implementation, &identity});
  if (found == by_key_.end() || found->second->kernel.use_count() != 1) return;
  last.splice(last.end(), built_, found->second);
  by_key_.erase(found);
}

void EntryCache::clear() {
  std::list<Built> all;  // destroyed outside the lock
  std::lock_guard guard(lock_of(LockRank::kBuild));
  by_key_.clear();
  all.swap(built_);
}

std::size_t EntryCache::size() const {
  std::lock_guard guard(lock_of(LockRank::kBuild));
  return built_.size();
}

}  // namespace opyard
