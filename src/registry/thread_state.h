// What opyard keeps for each thread: together, so that one address is computed for all steps of a call.
#pragma once

#include <cstdint>

namespace opyard {

namespace epoch {
struct Slot;
}
struct CallFrame;     // record/call_stack.h
struct ThreadRecord;  // override/read_section.h

struct ThreadState {
  epoch::Slot* slot = nullptr;     // claimed by the thread's first EpochScope
  std::uint32_t readers = 0;       // nesting of EpochScope
  int aten_original_depth = 0;     // AtenOriginal guards that live on this thread
  CallFrame* top = nullptr;        // the call stack, innermost call first
  ThreadRecord* record = nullptr;  // taken by the thread's first ReadSection
  std::uint32_t choices = 0;       // select/choices.h: the thread's own choices, 0 for none
  bool interrupted = false;        // the exception in flight is the user's interrupt: nothing is undone
};

// The model spares the call that finds a library's thread storage, which would cost more than all the rest of the
// router. It takes a few bytes of the loader's small reserve for libraries that are opened late.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local ThreadState thread_state;

inline ThreadState& this_thread() { return thread_state; }

}  // namespace opyard
