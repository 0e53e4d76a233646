// Threads' records, what is retired and still in use, and the counts that the records carry.
#include <opyard/error.h>
#include <override/read_section.h>
#include <registry/fork_lock.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace opyard {

namespace {

struct Retired {
  std::shared_ptr<const void> object;
  std::vector<std::pair<const ThreadRecord*, std::uint64_t>> readers;  // inside a section, and its number
};

// Never destroyed: threads may still call while the process ends.
struct Domain {
  std::atomic<ThreadRecord*> records{nullptr};
  std::vector<Retired> retired;                                   // guarded by the writer mutex
  std::vector<bool> slots_in_use = std::vector<bool>(kMaxNodes);  // guarded by the writer mutex
};

Domain& domain();

// A forked child has one thread: the sections of the others will never end there.
void close_other_sections() {
  for (ThreadRecord* record = domain().records.load(); record != nullptr; record = record->next) {
    if (record == thread_state.record) {
      continue;
    }
    record->depth = 0;
    record->sequence.store((record->sequence.load() + 1) & ~std::uint64_t{1});
    record->taken.store(false);
  }
}

Domain& domain() {
  static Domain* const the_domain = [] {
    auto* made = new Domain;
    at_fork_in_child(close_other_sections);
    return made;
  }();
  return *the_domain;
}

thread_local constinit bool thread_is_ending = false;

// Gives the record back when the thread ends.
struct RecordLease {
  ThreadRecord* record = nullptr;
  ~RecordLease() {
    thread_is_ending = true;
    thread_state.record = nullptr;
    if (record != nullptr) {
      record->taken.store(false, std::memory_order_release);
    }
  }
};
thread_local RecordLease lease;

ThreadRecord* free_record() {
  for (ThreadRecord* record = domain().records.load(); record != nullptr; record = record->next) {
    if (!record->taken.load(std::memory_order_relaxed) && !record->taken.exchange(true, std::memory_order_acquire)) {
      return record;
    }
  }
  return nullptr;
}

ThreadRecord* new_record() {
  auto* record = new ThreadRecord;
  record->next = domain().records.load();
  // Sequentially consistent: a writer that does not see the record exchanged before the thread's first load.
  while (!domain().records.compare_exchange_weak(record->next, record)) {
  }
  return record;
}

}  // namespace

ThreadRecord* take_thread_record() {
  if (thread_is_ending) {
    return nullptr;
  }
  ThreadRecord* record = free_record();
  lease.record = record != nullptr ? record : new_record();
  thread_state.record = lease.record;
  return lease.record;
}

std::mutex& writer_mutex() { return lock_of(LockRank::kOverrides); }

std::mutex& install_mutex() { return lock_of(LockRank::kInstall); }

void retire(std::shared_ptr<const void> object) noexcept {
  Retired retired{std::move(object), {}};
  for (const ThreadRecord* record = domain().records.load(); record != nullptr; record = record->next) {
    const std::uint64_t sequence = record->sequence.load(std::memory_order_seq_cst);
    if (sequence % 2 == 1) {
      retired.readers.emplace_back(record, sequence);
    }
  }
  domain().retired.push_back(std::move(retired));
}

std::size_t reclaim() {
  std::vector<Retired> free;  // destroyed after the mutex is released: destructors are user code
  std::lock_guard<std::mutex> lock(writer_mutex());
  std::vector<Retired>& all = domain().retired;
  for (Retired& retired : all) {
    std::erase_if(retired.readers, [](const auto& reader) {
      return reader.first->sequence.load(std::memory_order_acquire) != reader.second;
    });
  }
  for (std::size_t i = 0; i < all.size();) {
    if (all[i].readers.empty()) {
      free.push_back(std::move(all[i]));
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return all.size();
}

namespace {

std::optional<std::uint32_t> take_slot() {
  std::lock_guard<std::mutex> lock(writer_mutex());
  std::vector<bool>& in_use = domain().slots_in_use;
  for (std::uint32_t index = 0; index < kMaxNodes; ++index) {
    if (!in_use[index]) {
      in_use[index] = true;
      return index;
    }
  }
  return std::nullopt;
}

}  // namespace

// Removed overrides keep their slots while a call that began before may still count there: such calls are waited for.
CountSlot::CountSlot() {
  constexpr int kWaits = 1000;
  constexpr std::chrono::microseconds kWait(500);
  for (int wait = 0; wait < kWaits; ++wait) {
    const std::size_t held = wait == 0 ? 1 : reclaim();
    if (const auto index = take_slot()) {
      index_ = *index;
      return;
    }
    if (held == 0) {
      break;
    }
    std::this_thread::sleep_for(kWait);
  }
  throw ContractError(SignatureError::Kind::kValue, "too many overrides are registered",
                      {.expected = "at most " + std::to_string(kMaxNodes) + " at once in a process",
                       .advice = "drop the handles of overrides that are no longer needed"});
}

// The last owner goes after the last section that could count, so nobody writes the slot any more.
CountSlot::~CountSlot() {
  std::lock_guard<std::mutex> lock(writer_mutex());
  for (ThreadRecord* record = domain().records.load(); record != nullptr; record = record->next) {
    record->counts[index_].hits.store(0, std::memory_order_relaxed);
    record->counts[index_].falls.store(0, std::memory_order_relaxed);
  }
  domain().slots_in_use[index_] = false;
}

OverrideCounts CountSlot::sum() const {
  OverrideCounts counts;
  for (const ThreadRecord* record = domain().records.load(); record != nullptr; record = record->next) {
    counts.hits += record->counts[index_].hits.load(std::memory_order_relaxed);
    counts.falls += record->counts[index_].falls.load(std::memory_order_relaxed);
  }
  return counts;
}

}  // namespace opyard
