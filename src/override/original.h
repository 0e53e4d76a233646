// The kernel that stood at an operator's dispatch key before the router: what a call falls through to.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <string>
#include <vector>

namespace opyard {

/// How the original is reached. Boxed needs only torch's public interface and costs some 40 ns more a call.
enum class OriginalWay { kDirect, kBoxed };

/// Immutable; safe from any number of threads. Other parties' overrides below the router are called while they are
/// registered, torch's own kernel once they have left. Keeps the kernels alive by itself.
class Original {
 public:
  /// Captures what `key` of `op` reaches now. Direct is used only where torch's private table can be read and agrees
  /// with the public interface, else boxed. Throws c10::Error when there is no kernel at the key.
  static Original capture(const c10::OperatorHandle& op, c10::DispatchKey key, OriginalWay way = OriginalWay::kDirect);

  template <class Return, class... Args>
  C10_ALWAYS_INLINE Return call(c10::DispatchKeySet keys, Args... args) const {
    // A kernel of plain sizes may stand behind a signature of symbolic ones: torch converts.
    if (!(c10::has_symint<Args>::value || ...) && C10_LIKELY(function_ != nullptr)) {
      return c10::callUnboxedKernelFunction<Return, Args...>(function_, functor_, keys, std::forward<Args>(args)...);
    }
    return call_any<Return, Args...>(keys, std::forward<Args>(args)...);
  }

  void call_boxed(c10::DispatchKeySet keys, torch::jit::Stack* stack) const {
    newest_present().callBoxed(op_, keys, stack);
  }

  OriginalWay way() const { return way_; }

  /// Where each kernel that may serve was registered, in the order of preference; torch's own is last.
  std::vector<std::string> registered_at() const;

 private:
  struct Party {
    c10::KernelFunction kernel;
    std::shared_ptr<c10::KernelToken> token;  // invalid once the party has left
    std::string registered_at;
  };

  explicit Original(const c10::OperatorHandle& op) : op_(op) {}

  bool capture_direct(c10::DispatchKey key);
  void capture_boxed(c10::DispatchKey key);

  // Apart, so that the code of boxing stays out of the direct call.
  template <class Return, class... Args>
  C10_NOINLINE Return call_any(c10::DispatchKeySet keys, Args... args) const {
    return newest_present().template call<Return, Args...>(op_, keys, std::forward<Args>(args)...);
  }

  const c10::KernelFunction& newest_present() const;

  // Of torch's own kernel when that is always the one to call and has an unboxed form; else null. First, beside the
  // router's list, for they are read on every call.
  void* function_ = nullptr;
  c10::OperatorKernel* functor_ = nullptr;

  c10::KernelFunction own_;     // torch's own
  std::vector<Party> parties_;  // everyone else's, newest first
  c10::OperatorHandle op_;
  OriginalWay way_ = OriginalWay::kBoxed;
  std::string own_registered_at_;
};

}  // namespace opyard
