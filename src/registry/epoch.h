// Epoch-based reclamation: readers of shared immutable objects take no lock, and an object that was unlinked is freed
// once every reader that may have seen it has left. Readers pay two plain stores; the writer pays the barrier.
#pragma once

#include <registry/thread_state.h>

#include <atomic>
#include <cstdint>

namespace opyard {

namespace epoch {

/// What one thread publishes. Slots are reused after a thread ends and never freed.
struct alignas(64) Slot {
  std::atomic<std::uint64_t> entered{0};  // the epoch in which the outermost reader entered; 0: none
  std::atomic<bool> taken{false};
  std::uint32_t number = 0;  // small, and its own
  Slot* next = nullptr;
};

extern std::atomic<std::uint64_t> current;
extern bool reader_fence;  // where membarrier(2) is missing, the reader pays for the barrier itself

/// A slot for this thread, given back when it ends. Cold: once a thread.
Slot* claim_slot();
void release_slot(Slot* slot);

}  // namespace epoch

/// While one lives, nothing that this thread reads from a shared table is freed.
class EpochScope {
 public:
  explicit EpochScope(ThreadState& thread) : thread_(thread) {
    if (thread_.readers++ == 0) enter();
  }
  ~EpochScope() {
    if (--thread_.readers == 0) thread_.slot->entered.store(0, std::memory_order_release);
  }
  EpochScope(const EpochScope&) = delete;
  EpochScope& operator=(const EpochScope&) = delete;

 private:
  void enter() {
    if (thread_.slot == nullptr) [[unlikely]]
      thread_.slot = epoch::claim_slot();
#if defined(__SANITIZE_THREAD__)
    thread_.slot->entered.store(epoch::current.load(), std::memory_order_seq_cst);
#else
    thread_.slot->entered.store(epoch::current.load(std::memory_order_acquire), std::memory_order_relaxed);
    if (epoch::reader_fence) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    else
      std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }

  ThreadState& thread_;
};

/// Frees `object` by `destroy` once no reader can hold it. The object must be unreachable for new readers already.
void retire(void* object, void (*destroy)(void*));

template <class T>
void retire(T* object) {
  retire(const_cast<void*>(static_cast<const void*>(object)), [](void* p) { delete static_cast<T*>(p); });
}

/// Objects retired and not yet freed; for tests and opyard.stats().
std::size_t retired_count();

}  // namespace opyard
