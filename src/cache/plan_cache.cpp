#include <cache/plan_cache.h>
#include <registry/epoch.h>
#include <registry/fork_lock.h>

#include <bit>

namespace opyard {

PlanCache::~PlanCache() {
  Table* table = table_.load();
  if (table == nullptr) return;
  for (auto& slot : table->slots) {
    // A record may still be counted by a reader of last_call, so plans go the way of evicted ones.
    if (CallPlan* plan = slot.load()) retire(plan);
  }
  retire(table);
}

PlanCache::Unreachable::~Unreachable() {
  for (CallPlan* plan : plans) retire(plan);
  if (table != nullptr) retire(table);
}

const CallPlan* PlanCache::insert(std::unique_ptr<CallPlan> plan) {
  Unreachable unreachable;
  std::lock_guard guard(lock_of(LockRank::kPlans));
  Table* table = table_.load(std::memory_order_relaxed);
  if (table != nullptr) {
    for (std::size_t i = 0; i < kWindow; ++i) {
      CallPlan* other = table->slots[(plan->hash + i) & table->mask].load(std::memory_order_relaxed);
      if (other != nullptr && other->hash == plan->hash && other->words == plan->words) return other;
    }
  }
  if (size_ >= capacity_)
    evict_one(*table, unreachable);
  else if (table == nullptr || (size_ + 1) * 4 > table->slots.size())
    table = &grown(table, unreachable);
  std::atomic<CallPlan*>* slot = free_slot(*table, plan->hash, unreachable);
  CallPlan* published = plan.release();
  slot->store(published, std::memory_order_release);
  size_.fetch_add(1, std::memory_order_relaxed);
  return published;
}

// An empty slot of the window, or else one made empty: a window may fill although the table is sparse.
std::atomic<CallPlan*>* PlanCache::free_slot(Table& table, std::uint64_t hash, Unreachable& unreachable) {
  for (std::size_t i = 0; i < kWindow; ++i) {
    auto& slot = table.slots[(hash + i) & table.mask];
    if (slot.load(std::memory_order_relaxed) == nullptr) return &slot;
  }
  auto& slot = table.slots[hash & table.mask];
  drop(slot, unreachable);
  return &slot;
}

// The hand passes over plans used since it came by last.
void PlanCache::evict_one(Table& table, Unreachable& unreachable) {
  for (int patience = kPatience;;) {
    auto& slot = table.slots[hand_++ & table.mask];
    CallPlan* plan = slot.load(std::memory_order_relaxed);
    if (plan == nullptr || (plan->referenced.exchange(false, std::memory_order_relaxed) && --patience > 0)) continue;
    drop(slot, unreachable);
    return;
  }
}

void PlanCache::drop(std::atomic<CallPlan*>& slot, Unreachable& unreachable) {
  CallPlan* plan = slot.exchange(nullptr, std::memory_order_acq_rel);
  size_.fetch_sub(1, std::memory_order_relaxed);
  evictions_.fetch_add(1, std::memory_order_relaxed);
  unreachable.plans.push_back(plan);
}

PlanCache::Table& PlanCache::grown(Table* table, Unreachable& unreachable) {
  const std::size_t limit = std::bit_ceil(capacity_ * 4);
  const std::size_t slots = table == nullptr ? kFirstSlots : std::min(limit, table->slots.size() * 4);
  if (table != nullptr && slots <= table->slots.size()) return *table;
  auto bigger = std::make_unique<Table>(slots);
  if (table != nullptr) {
    for (auto& slot : table->slots) {
      if (CallPlan* plan = slot.load(std::memory_order_relaxed))
        free_slot(*bigger, plan->hash, unreachable)->store(plan);
    }
  }
  Table* published = bigger.release();
  table_.store(published, std::memory_order_release);
  unreachable.table = table;
  return *published;
}

void PlanCache::clear() {
  Unreachable unreachable;
  std::lock_guard guard(lock_of(LockRank::kPlans));
  Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr) return;
  for (auto& slot : table->slots)
    if (slot.load(std::memory_order_relaxed) != nullptr) drop(slot, unreachable);
}

}  // namespace opyard
