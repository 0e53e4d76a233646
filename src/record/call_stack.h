// The calls in progress on a thread, innermost first. Frames live on the C++ stack.
#pragma once

#include <registry/epoch.h>

namespace opyard {

class Instance;

struct CallFrame {
  const Instance* instance;
  CallFrame* enclosing;
};

/// Step 1: pushes a frame; an exception that leaves the call pops it.
class CallScope {
 public:
  CallScope(ThreadState& thread, const Instance& instance) : thread_(thread), frame_{&instance, thread.top} {
    thread.top = &frame_;
  }
  ~CallScope() { thread_.top = frame_.enclosing; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  ThreadState& thread_;
  CallFrame frame_;
};

}  // namespace opyard
