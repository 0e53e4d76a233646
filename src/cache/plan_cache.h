// Call key → call plan, bounded, read without a lock. An evicted call costs its check again and nothing else.
#pragma once

#include <cache/call_plan.h>

#include <atomic>
#include <memory>
#include <vector>

namespace opyard {

/// Readers hold an EpochScope. Writers serialise on LockRank::kPlans. Eviction is second-chance.
class PlanCache {
 public:
  static constexpr std::size_t kDefaultCapacity = 1024;

  explicit PlanCache(std::size_t capacity = kDefaultCapacity) : capacity_(capacity) {}
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// Null on a miss. The plan stays valid while the caller's EpochScope lives.
  const CallPlan* find(const CallKey& key) const {
    const Table* table = table_.load(std::memory_order_acquire);
    if (table == nullptr) return nullptr;
    for (std::size_t i = 0; i < kWindow; ++i) {
      const CallPlan* plan = table->slots[(key.hash() + i) & table->mask].load(std::memory_order_acquire);
      if (plan != nullptr && plan->matches(key)) {
        if (!plan->referenced.load(std::memory_order_relaxed)) plan->referenced.store(true, std::memory_order_relaxed);
        return plan;
      }
    }
    return nullptr;
  }

  /// Publishes a plan, unless an equal one is there already; gives the one that is published.
  const CallPlan* insert(std::unique_ptr<CallPlan> plan);

  /// Drops every plan; entries stay.
  void clear();

  std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  std::size_t capacity() const { return capacity_; }
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

 private:
  // The hand passes over this many used plans before it takes one all the same: what an eviction costs is bounded.
  static constexpr int kPatience = 16;

  // A plan lies within this many slots of its hash. Tables are kept at most a quarter full, so that windows rarely
  // fill.
  static constexpr std::size_t kWindow = 8;
  static constexpr std::size_t kFirstSlots = 32;

  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), slots(size) {}
    std::size_t mask;
    std::vector<std::atomic<CallPlan*>> slots;
  };

  // What a writer made unreachable; retired after the lock, because freeing a kernel runs foreign code.
  struct Unreachable {
    std::vector<CallPlan*> plans;
    Table* table = nullptr;
    ~Unreachable();
  };

  std::atomic<CallPlan*>* free_slot(Table& table, std::uint64_t hash, Unreachable& unreachable);
  void evict_one(Table& table, Unreachable& unreachable);
  void drop(std::atomic<CallPlan*>& slot, Unreachable& unreachable);
  Table& grown(Table* table, Unreachable& unreachable);

  std::atomic<Table*> table_{nullptr};
  std::size_t capacity_;
  std::size_t hand_ = 0;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace opyard
