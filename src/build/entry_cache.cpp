#include <build/build_event.h>
#include <build/entry_cache.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>

#include <exception>
#include <thread>

namespace opyard {

/// One build in flight, guarded by LockRank::kBuild.
struct EntryCache::Pending {
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
  const Key key{&implementation, entry.identity};
  std::unique_lock lock(lock_of(LockRank::kBuild));
  if (auto found = built_.find(key); found != built_.end()) {
    hits_.fetch_add(1, std::memory_order_relaxed);
    return found->second;
  }

  auto& slot = pending_[key];
  // A build that another thread had in flight before a fork has nobody to finish it in the child.
  const bool mine = slot == nullptr || slot->generation != fork_generation();
  if (mine) slot = std::make_shared<Pending>();
  const std::shared_ptr<Pending> pending = slot;
  if (!mine) {
    if (pending->builder == std::this_thread::get_id())
      throw BuildError("a kernel's build asks for the kernel that it builds",
                       {.op = implementation.op, .argument = implementation.key, .got = to_text(entry.identity)});
    pending->finished.wait(lock, [&] { return pending->done; });
    if (pending->error) std::rethrow_exception(pending->error);
    return pending->kernel;
  }

  lock.unlock();
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
  std::shared_ptr<const Kernel> evicted;
  lock.lock();
  if (!error) {
    evicted = make_room();
    built_.emplace(key, kernel);
  }
  pending_.erase(key);
  pending->done = true;
  pending->error = error;
  pending->kernel = kernel;
  pending->finished.notify_all();
  lock.unlock();
  watch.tell(implementation, entry.identity, !error, hits_.load(std::memory_order_relaxed), builds());
  if (error) std::rethrow_exception(error);
  built_here = true;
  return kernel;
}

std::shared_ptr<const Kernel> EntryCache::make_room() {
  if (built_.size() < capacity_) return nullptr;
  for (auto item = built_.begin(); item != built_.end(); ++item) {
    if (item->second.use_count() != 1) continue;
    std::shared_ptr<const Kernel> evicted = std::move(item->second);
    built_.erase(item);
    evictions_.fetch_add(1, std::memory_order_relaxed);
    return evicted;
  }
  return nullptr;
}

void EntryCache::drop_unused(const Implementation& implementation, const Value& identity) {
  std::shared_ptr<const Kernel> last;  // destroyed outside the lock
  std::lock_guard guard(lock_of(LockRank::kBuild));
  const auto found = built_.find(Key{&implementation, identity});
  if (found != built_.end() && found->second.use_count() == 1) {
    last = std::move(found->second);
    built_.erase(found);
  }
}

void EntryCache::clear() {
  decltype(built_) all;  // destroyed outside the lock
  std::lock_guard guard(lock_of(LockRank::kBuild));
  all.swap(built_);
}

std::size_t EntryCache::size() const {
  std::lock_guard guard(lock_of(LockRank::kBuild));
  return built_.size();
}

}  // namespace opyard
