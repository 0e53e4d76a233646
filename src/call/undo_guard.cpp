#include <call/undo_guard.h>
#include <target/resolve.h>

namespace opyard {

const Target& CallBinding::target(c10::Device device) {
  if (const Target* bound = instance_.serving_target()) {
    // Another thread may have bound it while its call is still running: this call then shares the binding's fate.
    bound_target_ = !instance_.completed_.load(std::memory_order_acquire);
    return *bound;
  }
  const Target& selected = resolve_target(instance_.signature().op(), instance_.spec().target(), device);
  const Target* none = nullptr;
  instance_.serving_target_.compare_exchange_strong(none, &selected, std::memory_order_acq_rel);
  bound_target_ = true;
  return none == nullptr ? selected : *none;
}

void CallBinding::undo() noexcept {
  if (!bound_target_ || instance_.completed_.load(std::memory_order_acquire)) return;
  instance_.serving_target_.store(nullptr, std::memory_order_release);
  if (built_by_ != nullptr) instance_.spec().entries().drop(*built_by_, identity_);
}

}  // namespace opyard
