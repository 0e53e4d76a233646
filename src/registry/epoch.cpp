#include <linux/membarrier.h>
#include <registry/epoch.h>
#include <registry/fork_lock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace opyard {
namespace epoch {

std::atomic<std::uint64_t> current{1};

namespace {

struct Retired {
  std::uint64_t epoch;
  void* object;
  void (*destroy)(void*);
};

struct Limbo {
  std::atomic<Slot*> slots{nullptr};
  std::vector<Retired> retired;
};

// Leaked: threads may still leave their scopes while statics are destroyed at exit.
Limbo& limbo() {
  static auto& instance = *new Limbo;
  return instance;
}

bool register_membarrier() {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

// Threads that existed in the parent hold no scope in the child.
void forget_other_threads() {
  reader_fence = !register_membarrier();
  for (Slot* slot = limbo().slots.load(); slot != nullptr; slot = slot->next) {
    if (slot != this_thread().slot) {
      slot->entered.store(0);
      slot->taken.store(false);
    }
  }
}

bool prepare() {
  at_fork_in_child(forget_other_threads);
  return !register_membarrier();
}

// Makes every reader's published epoch visible to the scan that follows, and the unlinking visible to every reader
// that has not published yet.
void heavy_fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
#if !defined(__SANITIZE_THREAD__)
  if (!reader_fence) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
#endif
}

std::uint64_t oldest_reader() {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (Slot* slot = limbo().slots.load(); slot != nullptr; slot = slot->next) {
    const std::uint64_t entered = slot->entered.load(std::memory_order_acquire);
    if (entered != 0) oldest = std::min(oldest, entered);
  }
  return oldest;
}

constexpr std::size_t kBatch = 64;  // one barrier frees this many

std::vector<Retired> take_unreachable() {
  heavy_fence();
  const std::uint64_t oldest = oldest_reader();
  auto& all = limbo().retired;
  auto split = std::partition(all.begin(), all.end(), [&](const Retired& r) { return r.epoch >= oldest; });
  std::vector<Retired> unreachable(split, all.end());
  all.erase(split, all.end());
  return unreachable;
}

}  // namespace

bool reader_fence = prepare();

namespace {

Slot* free_or_new_slot() {
  auto& head = limbo().slots;
  for (Slot* slot = head.load(); slot != nullptr; slot = slot->next) {
    bool free = false;
    if (slot->taken.compare_exchange_strong(free, true)) return slot;
  }
  auto* slot = new Slot;
  static std::atomic<std::uint32_t> slots{0};
  slot->number = slots.fetch_add(1);
  slot->taken.store(true);
  slot->next = head.load();
  while (!head.compare_exchange_weak(slot->next, slot)) {
  }
  return slot;
}

}  // namespace

void release_slot(Slot* slot) {
  slot->entered.store(0, std::memory_order_release);
  slot->taken.store(false, std::memory_order_release);
}

}  // namespace epoch

namespace {

struct SlotOwner {
  epoch::Slot* slot = nullptr;
  ~SlotOwner() {
    thread_state.slot = nullptr;
    if (slot != nullptr) epoch::release_slot(slot);
  }
};
thread_local SlotOwner slot_owner;

}  // namespace

epoch::Slot* epoch::claim_slot() { return slot_owner.slot = free_or_new_slot(); }

void retire(void* object, void (*destroy)(void*)) {
  std::vector<epoch::Retired> unreachable;
  {
    std::lock_guard guard(lock_of(LockRank::kEpoch));
    auto& retired = epoch::limbo().retired;
    // A reader that enters from now on publishes a later epoch than this object's.
    retired.push_back({epoch::current.fetch_add(1), object, destroy});
    if (retired.size() >= epoch::kBatch) unreachable = epoch::take_unreachable();
  }
  for (const auto& r : unreachable) r.destroy(r.object);
}

std::size_t retired_count() {
  std::lock_guard guard(lock_of(LockRank::kEpoch));
  return epoch::limbo().retired.size();
}

}  // namespace opyard
