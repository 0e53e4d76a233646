#include <call/undo_guard.h>
#include <target/target_registry.h>

namespace opyard {

const Target& CallBinding::target(std::optional<c10::Device> device) {
  Instance::Binding bound = instance_.binding_.load(std::memory_order_acquire);
  if (bound.target() == nullptr) {
    selects_ = true;
    const TargetRegistry& targets = TargetRegistry::process();
    const std::string& requested = instance_.spec().target();
    const Target& selected = targets.resolve(instance_.signature().op(), requested, device);
    if (!device && requested.empty() && targets.default_target().empty()) return selected;
    const Instance::Binding fresh(&selected, false);
    if (instance_.binding_.compare_exchange_strong(bound, fresh, std::memory_order_acq_rel)) bound = fresh;
  }
  // Another thread's call may have bound it and be running yet: this call then shares the binding's fate.
  if (!bound.completed()) bound_target_ = bound.target();
  return *bound.target();
}

void CallBinding::complete() { instance_.binding_.store({bound_target_, true}, std::memory_order_release); }

void CallBinding::undo() noexcept {
  if (!selects_ && bound_target_ == nullptr) return;
  if (this_thread().interrupted) {
    // The user's interrupt undoes nothing: the target counts as selected by an earlier call.
    if (bound_target_ != nullptr) complete();
    return;
  }
  if (bound_target_ != nullptr) {
    Instance::Binding alone(bound_target_, false);
    const bool undone =
        instance_.binding_.compare_exchange_strong(alone, Instance::Binding(), std::memory_order_acq_rel);
    // Another call completed on the target: what was built for it stays, as after any later failure.
    if (!undone && alone.completed()) return;
  }
  if (built_by_ != nullptr) instance_.spec().entries().drop_unused(*built_by_, identity_);
  instance_.drop_built();
}

}  // namespace opyard
