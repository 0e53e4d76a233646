#include <build/artefact_store.h>
#include <call/measure.h>
#include <call/tie.h>
#include <select/device_facts.h>
#include <select/measured.h>
#include <select/select.h>

#include <algorithm>

namespace opyard {
namespace {

constexpr double kBudgetSeconds = 0.05;

// Not so for the tensors that op.warmup describes a call by.
bool has_memory(const at::Tensor* tensor) {
  return tensor == nullptr || !tensor->has_storage() || tensor->storage().nbytes() > 0 || tensor->numel() == 0;
}

}  // namespace

void settle_tie(Instance& instance, const CallSpec& call, const at::Tensor* const* inputs) {
  const InstanceSpec& spec = instance.spec();
  const Selection selection = reason(spec.implementations(), call);
  const std::size_t count = spec.signature().inputs().size();
  if (selection.tie.empty() || !std::all_of(inputs, inputs + count, has_memory)) return;
  std::vector<std::string> tied;
  for (const Candidate& candidate : selection.candidates)
    if (!candidate.refusal && candidate.passed_over.empty()) tied.push_back(candidate.entry->declared.key);
  const auto measured = [&] {
    CallInputs given;
    for (std::size_t i = 0; i < count; ++i) given.push_back(inputs[i] == nullptr ? at::Tensor() : *inputs[i]);
    return measure(instance, {given}, kBudgetSeconds, tied).chosen;
  };
  std::string chosen = ArtefactStore::process().get_or_build("tie 1\n" + call.op() + "\n" + spec.signature().digest() +
                                                                 "\n" + MeasuredChoices::class_of(call) + "\n" +
                                                                 selection.tie + "\n" + device_identity(call.device),
                                                             measured);
  if (std::find(tied.begin(), tied.end(), chosen) == tied.end()) chosen = measured();  // the file was altered
  MeasuredChoices::process().fix(call, std::move(chosen));
}

}  // namespace opyard
