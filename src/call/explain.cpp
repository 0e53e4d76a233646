#include <call/call_device.h>
#include <call/explain.h>
#include <call/plan_call.h>
#include <select/select.h>
#include <target/target_registry.h>

namespace opyard {
namespace {

// The name of the target that serves the call in place of opyard itself; null where none does.
const std::string* target_of(const Instance& instance, std::optional<c10::Device> device) {
  const Target* target = instance.serving_target();
  if (target == nullptr)
    target = &TargetRegistry::process().resolve(instance.signature().op(), instance.spec().target(), device);
  return target == &builtin_target() ? nullptr : &target->name;
}

}  // namespace

std::string explain(const Instance& instance, const at::Tensor* const* inputs) {
  const InstanceSpec& spec = instance.spec();
  const auto solved = spec.signature().check(spec.construction(), inputs);
  const CallSpec call = spec_of(spec, solved, inputs);
  std::string text = spec.signature().op() + " for " + call.text() + "\n";
  if (solved.empty_write) return text + "  nothing runs: every output is empty\n";
  if (const std::string* target = target_of(instance, call_device(spec, solved.device, inputs))) {
    const bool builds = TargetRegistry::process().builder({*target}, spec.signature().op()) != nullptr;
    return text + "  target " + *target +
           (builds ? " serves it with a kernel of its own\n" : " has no builder for it\n");
  }
  if (instance.body() != nullptr)
    return text + "  its body runs, and asks for kernels by call specs of its own: see key_for\n";
  const Selection selection = reason(spec.implementations(), call);
  if (!selection.tie.empty()) text += "  ambiguous: " + selection.tie + " serve, and none is preferred\n";
  for (const auto& candidate : selection.candidates) {
    text += "  " + candidate.entry->declared.key + ": ";
    if (candidate.entry == selection.chosen)
      text += selection.measured ? "chosen, measured to be ahead" : "chosen";
    else if (candidate.refusal)
      text += "refuses: " + *candidate.refusal;
    else
      text += candidate.passed_over.empty() ? "serves" : "serves, but " + candidate.passed_over;
    text += "\n";
  }
  return text;
}

}  // namespace opyard
