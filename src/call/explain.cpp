#include <call/explain.h>
#include <call/plan_call.h>
#include <select/select.h>

namespace opyard {

std::string explain(const Instance& instance, const at::Tensor* const* inputs) {
  const InstanceSpec& spec = instance.spec();
  const auto solved = spec.signature().check(spec.construction(), inputs);
  const CallSpec call = spec_of(spec, solved, inputs);
  std::string text = spec.signature().op() + " for " + call.text() + "\n";
  if (solved.empty_write) return text + "  nothing runs: every output is empty\n";
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
