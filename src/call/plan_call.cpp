#include <ATen/MemoryOverlap.h>
#include <call/plan_call.h>
#include <opyard/error.h>
#include <select/device_facts.h>
#include <select/select.h>
#include <signature/effects.h>

namespace opyard {
namespace {

TensorFacts facts_of(const at::Tensor* tensor) {
  TensorFacts facts;
  if (tensor == nullptr) return facts;
  facts.present = true;
  facts.dtype = tensor->scalar_type();
  facts.layout = tensor->layout();
  facts.contiguous = facts.layout != c10::Layout::Strided || tensor->is_contiguous();
  facts.sizes.assign(tensor->sizes().begin(), tensor->sizes().end());
  if (!facts.contiguous) facts.strides.assign(tensor->strides().begin(), tensor->strides().end());
  return facts;
}

TensorFacts facts_of(const SolvedOutput<std::int64_t>& output) {
  TensorFacts facts;
  facts.present = output.present;
  facts.dtype = output.dtype;
  facts.sizes.assign(output.sizes.begin(), output.sizes.end());
  return facts;
}

// Work shorter than this is done before the interpreter lock would have changed hands.
constexpr double kReleaseFromMicroseconds = 1.0;

// Two writes to one place would depend on their order.
void refuse_overlap(const Signature& signature, std::size_t i, const at::Tensor& tensor) {
  if (at::has_internal_overlap(tensor) != at::MemOverlap::Yes) return;
  throw SignatureError(SignatureError::Kind::kValue, "an input that the call writes has elements that share memory",
                       {.op = signature.op(),
                        .argument = signature.inputs()[i].name,
                        .expected = "a tensor with a place for each element",
                        .got = "strides " + to_text(Value(Sequence(tensor.strides().begin(), tensor.strides().end()))),
                        .declared_at = signature.declared_at(),
                        .advice = "clone it first"});
}

void plan_effects(const InstanceSpec& spec, const at::Tensor* const* inputs, CallPlan& plan) {
  const Effects effects = effects_of(spec.signature(), spec.construction(), inputs);
  plan.written = effects.written;
  for (const std::int32_t i : effects.written)
    refuse_overlap(spec.signature(), static_cast<std::size_t>(i), *inputs[i]);
  for (std::size_t i = 0; i < effects.aliased.size(); ++i)
    if (effects.aliased[i] >= 0) plan.aliased.emplace_back(static_cast<std::int32_t>(i), effects.aliased[i]);
}

}  // namespace

CallSpec spec_of(const InstanceSpec& spec, const SolvedCall<std::int64_t>& solved, const at::Tensor* const* inputs) {
  const Signature& signature = spec.signature();
  CallSpec call;
  call.device = solved.device;
  call.arch = device_arch(solved.device);
  for (std::size_t i = 0; i < signature.inputs().size(); ++i)
    call.inputs.emplace_back(signature.inputs()[i].name, facts_of(inputs[i]));
  for (std::size_t i = 0; i < signature.outputs().size(); ++i)
    call.outputs.emplace_back(signature.outputs()[i].name, facts_of(solved.outputs[i]));
  for (std::size_t i = 0; i < signature.params().size(); ++i)
    call.params.emplace_back(signature.params()[i].name, spec.construction().params[i]);
  call.indices = signature.named_indices(spec.construction(), solved, inputs);
  return call;
}

std::unique_ptr<CallPlan> plan_call(Instance& instance, const CallKey* key, const at::Tensor* const* inputs,
                                    CallBinding& binding) {
  InstanceSpec& spec = instance.spec();
  const std::string& op = spec.signature().op();
  const SolvedCall<std::int64_t> solved = spec.signature().check(spec.construction(), inputs);

  auto plan = std::make_unique<CallPlan>();
  auto record = c10::make_intrusive<CallRecord>();
  record->op = op;
  record->spec = spec_of(spec, solved, inputs);
  for (const auto& [name, facts] : record->spec.outputs) plan->outputs.push_back(facts);
  if (has_effects(spec.signature())) plan_effects(spec, inputs, *plan);

  if (!solved.empty_write) {
    record->target = binding.target(solved.device).name;
    const ImplementationEntry& chosen = select(op, spec.implementations(), record->spec);
    const Entry entry = chosen.declared.entry_for(record->spec);
    bool built_here = false;
    plan->kernel_hold = spec.entries().get_or_build(chosen.declared, entry, built_here);
    if (built_here) binding.built(chosen.declared, entry.identity);
    plan->kernel = plan->kernel_hold.get();
    plan->general = chosen.declared.general;
    plan->release_gil = chosen.declared.expected_us >= kReleaseFromMicroseconds;
    plan->served = const_cast<ServedCounter*>(&chosen.served);
    record->implementation = chosen.declared.key;
  }
  plan->record = std::move(record);
  if (key != nullptr) {
    plan->hash = key->hash();
    plan->words.assign(key->words(), key->words() + key->size());
  }
  return plan;
}

}  // namespace opyard
