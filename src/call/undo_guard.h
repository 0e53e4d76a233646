// Undoes what a failing call alone bound.
#pragma once

#include <call/instance.h>

#include <optional>

namespace opyard {

/// The binding that one call makes: a target, and an entry it was the first to build. Unless committed, the destructor
/// takes them back if this call selected the target; a target on which another thread's call completed meanwhile stays.
class CallBinding {
 public:
  explicit CallBinding(Instance& instance) : instance_(instance) {}
  ~CallBinding() {
    if (!committed_) [[unlikely]]
      undo();
  }
  CallBinding(const CallBinding&) = delete;
  CallBinding& operator=(const CallBinding&) = delete;

  /// Step 4: selects the target when the instance has none. Without a device to select for, and without a name, this
  /// call is served by builtin and nothing is bound.
  const Target& target(std::optional<c10::Device> device);

  void built(const Implementation& implementation, Value identity) {
    built_by_ = &implementation;
    identity_ = std::move(identity);
  }

  void commit() {
    committed_ = true;
    if (bound_target_ != nullptr) [[unlikely]]
      complete();
  }

 private:
  void complete();
  void undo() noexcept;

  Instance& instance_;
  bool committed_ = false;
  bool selects_ = false;                  // this call found the instance unbound
  const Target* bound_target_ = nullptr;  // selected by this call, or by one that has not completed
  const Implementation* built_by_ = nullptr;
  Value identity_;
};

}  // namespace opyard
