#include <call/all_inputs.h>
#include <call/plan_call.h>
#include <call/run_by.h>
#include <opyard/error.h>
#include <run/result_check.h>
#include <select/select.h>

namespace opyard {
namespace {

std::vector<const at::Tensor*> pointers(const Signature& signature, const CallInputs& call) {
  std::vector<const at::Tensor*> all(signature.inputs().size(), nullptr);
  for (std::size_t i = 0; i < call.size(); ++i)
    if (call.at(i).defined()) all.at(i) = &call[i];
  return all;
}

}  // namespace

std::vector<std::string> serving(const Instance& instance, const CallInputs& call) {
  const InstanceSpec& spec = instance.spec();
  const auto inputs = pointers(spec.signature(), call);
  const auto solved = spec.signature().check(spec.construction(), inputs.data());
  std::vector<std::string> keys;
  if (solved.empty_write) return keys;
  for (const Candidate& candidate : reason(spec.implementations(), spec_of(spec, solved, inputs.data())).candidates)
    if (!candidate.refusal) keys.push_back(candidate.entry->declared.key);
  return keys;
}

std::vector<at::Tensor> run_by(Instance& instance, const CallInputs& call, const std::string& implementation) {
  InstanceSpec& spec = instance.spec();
  const auto inputs = pointers(spec.signature(), call);
  auto record = c10::make_intrusive<CallRecord>(
      spec_of(spec, spec.signature().check(spec.construction(), inputs.data()), inputs.data()));
  record->implementation = implementation;
  std::string refusal = "no such implementation";
  for (const Candidate& candidate : reason(spec.implementations(), record->spec).candidates) {
    const Implementation& declared = candidate.entry->declared;
    if (declared.key != implementation) continue;
    if (candidate.refusal) {
      refusal = *candidate.refusal;
      break;
    }
    bool built_here = false;
    CallPlan plan;
    plan.kernel_hold = spec.entries().get_or_build(declared, declared.entry_for(record->spec), built_here);
    plan.outputs = record->spec.outputs().facts();
    std::vector<at::Tensor> outputs(plan.outputs.size());
    const AllInputs all(spec, inputs.data());
    KernelCall run(all.data(), outputs.data(), plan.outputs.data(), record->spec.device);
    plan.kernel_hold->forward(run);
    plan.record = std::move(record);
    check_result(plan, all.data(), outputs.data());
    return outputs;
  }
  throw OpNotAvailableError("an implementation does not serve this call",
                            {.op = spec.signature().op(),
                             .expected = "an implementation that serves it",
                             .got = implementation + ": " + refusal});
}

}  // namespace opyard
