// Lets readers use an immutable object while others exchange it: no lock, no allocation, no shared line written.
#pragma once

#include <c10/macros/Macros.h>
#include <registry/thread_state.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace opyard {

/// How often a node served and how often it was passed over.
struct OverrideCounts {
  std::uint64_t hits = 0;
  std::uint64_t falls = 0;
};

/// Nodes that can be registered at once in a process.
constexpr std::uint32_t kMaxNodes = 2048;

/// Sections of one thread may nest through an implementation that calls aten; more is endless recursion.
constexpr std::uint32_t kMaxDepth = 128;

/// What one thread publishes. Never freed; a new thread takes over the record of one that ended.
struct alignas(64) ThreadRecord {
  // Written by the owning thread alone, so an increment needs no read-modify-write.
  struct Count {
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> falls{0};
  };

  std::atomic<std::uint64_t> sequence{0};  // odd while the thread is inside a section
  std::uint32_t depth = 0;                 // of nested sections; the owning thread's alone
  std::atomic<bool> taken{true};
  ThreadRecord* next = nullptr;
  Count counts[kMaxNodes];
};

/// Takes a record for this thread on its first section; null once the thread is ending.
ThreadRecord* take_thread_record();

/// While one lives, whatever the thread loaded from an exchanged pointer inside it stays alive.
class ReadSection {
 public:
  C10_ALWAYS_INLINE explicit ReadSection(const ThreadState& thread) : record_(thread.record) {
    if (C10_UNLIKELY(record_ == nullptr)) {
      record_ = take_thread_record();
    }
    if (C10_LIKELY(record_ != nullptr) && C10_LIKELY(record_->depth++ == 0)) {
      // Sequentially consistent: the pointer must not be loaded before this is visible to `retire`.
      record_->sequence.store(record_->sequence.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    }
  }

  C10_ALWAYS_INLINE ~ReadSection() {
    if (C10_LIKELY(record_ != nullptr) && C10_LIKELY(--record_->depth == 0)) {
      record_->sequence.store(record_->sequence.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
  }

  ReadSection(const ReadSection&) = delete;
  ReadSection& operator=(const ReadSection&) = delete;

  /// False in a thread that is ending: it must not load anything.
  explicit operator bool() const { return record_ != nullptr; }

  bool too_deep() const { return record_->depth > kMaxDepth; }
  void count_hit(std::uint32_t slot) { add_one(record_->counts[slot].hits); }
  void count_fall(std::uint32_t slot) { add_one(record_->counts[slot].falls); }

 private:
  static void add_one(std::atomic<std::uint64_t>& count) {
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  ThreadRecord* record_;
};

/// Serialises whoever exchanges; made anew in a forked child. No user code runs while it is held.
std::mutex& writer_mutex();

/// Serialises putting routers into torch's table and taking them out; made anew in a forked child.
std::mutex& install_mutex();

/// Keeps `object` until every section that was open has ended. Call it after the exchange, with the writer mutex held.
void retire(std::shared_ptr<const void> object) noexcept;

/// Frees what no section can still use, and says how many objects wait on. Call it without the writer mutex.
std::size_t reclaim();

/// A place in every thread's counts; zero again when it is given out.
class CountSlot {
 public:
  CountSlot();  // throws ContractError when kMaxNodes are in use
  ~CountSlot();
  CountSlot(const CountSlot&) = delete;
  CountSlot& operator=(const CountSlot&) = delete;
  std::uint32_t index() const { return index_; }
  OverrideCounts sum() const;

 private:
  std::uint32_t index_;
};

}  // namespace opyard
