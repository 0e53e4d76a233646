// The way of a call: key, look up, on a miss check, target, select and build; then run, result check and record.
#pragma once

#include <call/instance.h>

namespace opyard {

/// Lets go of an interpreter lock that the caller holds, around work expected to outlast the switch. C++ callers have
/// none.
class CallerLock {
 public:
  virtual void release() = 0;
  virtual void acquire() = 0;

 protected:
  ~CallerLock() = default;
};

/// Runs one call. `inputs`: one pointer an input, null when absent; `outputs`: one an output, defined where the caller
/// gives a buffer, filled with the results. Throws what DESIGN names; the instance stays usable.
void run_call(Instance& instance, const at::Tensor* const* inputs, at::Tensor* outputs, CallerLock* lock = nullptr);

/// The same for a call that stands in front of an aten operator: false, and nothing ran, where only the general
/// implementation serves, for that one is the aten operator itself.
bool run_call_in_front(Instance& instance, const at::Tensor* const* inputs, at::Tensor* outputs);

/// Leaves the record of a call on meta tensors, which runs nothing and selects nobody.
void record_meta_call(Instance& instance, const at::Tensor* const* inputs);

}  // namespace opyard
