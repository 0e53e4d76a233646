// The calls in progress on a thread, innermost first. Frames live on the C++ stack.
#pragma once

#include <opyard/call_record.h>
#include <registry/epoch.h>

#include <memory>
#include <vector>

namespace opyard {

class Instance;

/// A call that an operator's body made of another operator, and that completed.
struct CompletedCall {
  const Instance* instance;
  std::string key;  // the instance may be gone when this is read
  CallRecordPtr record;
};

struct CallFrame {
  const Instance* instance;
  CallFrame* enclosing;
  std::unique_ptr<std::vector<CompletedCall>> completed;  // made by a body: only those have calls below them
};

/// From here on, calls of other operators on this thread are stages of its innermost one.
inline void collect_stages(ThreadState& thread) {
  thread.top->completed = std::make_unique<std::vector<CompletedCall>>();
}

/// Step 1: pushes a frame; whatever leaves the call pops it, an interrupt too.
class CallScope {
 public:
  CallScope(ThreadState& thread, const Instance& instance) : thread_(thread), frame_{&instance, thread.top, nullptr} {
    thread.top = &frame_;
  }
  ~CallScope() { thread_.top = frame_.enclosing; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  CallFrame& frame() { return frame_; }

 private:
  ThreadState& thread_;
  CallFrame frame_;
};

}  // namespace opyard
