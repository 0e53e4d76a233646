#include <ATen/MemoryOverlap.h>
#include <call/call_device.h>
#include <call/plan_call.h>
#include <call/tie.h>
#include <opyard/error.h>
#include <run/prepared_call.h>
#include <run/verify.h>
#include <select/choices.h>
#include <select/device_facts.h>
#include <select/select.h>
#include <signature/composition.h>
#include <signature/effects.h>
#include <target/target_registry.h>

#include <algorithm>

namespace opyard {
namespace {

void read_facts(const at::Tensor* tensor, TensorFacts& facts) {
  if (tensor == nullptr) return;
  facts.present = true;
  facts.dtype = tensor->scalar_type();
  facts.layout = tensor->layout();
  facts.contiguous = facts.layout != c10::Layout::Strided || tensor->is_contiguous();
  facts.sizes.assign(tensor->sizes().begin(), tensor->sizes().end());
  if (!facts.contiguous) facts.strides.assign(tensor->strides().begin(), tensor->strides().end());
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

// What verifying compares with: the general implementation, where it serves too.
std::shared_ptr<const Kernel> beside_general(InstanceSpec& spec, const ImplementationEntry& chosen,
                                             const CallRecord& record, std::shared_ptr<const Kernel> kernel) {
  for (const Candidate& candidate : reason(spec.implementations(), record.spec).candidates) {
    const Implementation& declared = candidate.entry->declared;
    if (!declared.general || candidate.refusal || candidate.entry == &chosen) continue;
    bool built_here = false;
    auto general = spec.entries().get_or_build(declared, declared.entry_for(record.spec), built_here);
    return verifying(std::move(kernel), std::move(general), chosen.declared.key, declared.key, record.spec,
                     record.spec.op());
  }
  return kernel;
}

void plan_in_tree(Instance& instance, const at::Tensor* const* inputs, CallPlan& plan, CallRecord& record,
                  CallBinding& binding) {
  InstanceSpec& spec = instance.spec();
  if (instance.tunes() && plan.written.empty()) settle_tie(instance, record.spec, inputs);
  const ImplementationEntry& chosen = select(spec.implementations(), record.spec);
  if (choices_record()) record_selection(record.spec.op(), record.spec, chosen.declared.key);
  const Entry entry = chosen.declared.entry_for(record.spec);
  bool built_here = false;
  plan.kernel_hold = spec.entries().get_or_build(chosen.declared, entry, built_here);
  if (built_here) binding.built(chosen.declared, entry.identity);
  if (choices_verify() && plan.written.empty())
    plan.kernel_hold = beside_general(spec, chosen, record, std::move(plan.kernel_hold));
  plan.general = chosen.declared.general;
  plan.release_gil = chosen.declared.expected_us >= kReleaseFromMicroseconds;
  plan.served = const_cast<ServedCounter*>(&chosen.served);
  record.implementation = chosen.declared.key;
}

void plan_for_target(InstanceSpec& spec, const Target& target, std::shared_ptr<const Implementation> builder,
                     CallPlan& plan, CallRecord& record, CallBinding& binding) {
  const Entry entry = builder->entry_for(record.spec);
  bool built_here = false;
  plan.kernel_hold = spec.entries().get_or_build(*builder, entry, built_here);
  if (built_here) binding.built(*builder, entry.identity);
  plan.builder_hold = std::move(builder);
  std::vector<std::size_t> strided;
  const NamedTensors inputs = record.spec.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorFacts& facts = inputs[i].second;
    const bool written = std::find(plan.written.begin(), plan.written.end(), i) != plan.written.end();
    if (facts.present && !facts.contiguous && !written) strided.push_back(i);
  }
  if (!strided.empty() || !record.spec.device.is_cpu())
    plan.kernel_hold = with_guarantees(std::move(plan.kernel_hold), inputs.size(), plan.outputs.vec(),
                                       std::move(strided), record.spec.device);
  record.implementation = target.name;
}

[[noreturn]] void refuse_target(const Instance& instance, const Target& target) {
  std::string with_builder;
  for (const std::string& name : TargetRegistry::process().names(instance.signature().op()))
    with_builder += (with_builder.empty() ? "" : ", ") + name;
  throw OpNotAvailableError(
      "the selected target has no builder for this operator",
      {.op = instance.signature().op(),
       .argument = "target",
       .expected = with_builder.empty() ? "a target with a builder; there is none"
                                        : "one of those with a builder: " + with_builder,
       .got = target.name,
       .advice = "register a kernel builder for it, or construct the operator for another target"});
}

[[noreturn]] void refuse_without_device(const Instance& instance) {
  throw OpNotAvailableError("no implementation serves this call, whose device nothing names",
                            {.op = instance.signature().op(),
                             .expected = "a tensor, a device parameter or an accelerator",
                             .got = "none of them",
                             .advice = "construct the operator with a device"});
}

// Steps 4 and 5: who serves the call, and the kernel that runs for it.
void plan_run(Instance& instance, const at::Tensor* const* inputs, CallPlan& plan, CallRecord& record,
              std::optional<c10::Device> device, CallBinding& binding) {
  InstanceSpec& spec = instance.spec();
  const Target& target = binding.target(device);
  record.target = target.name;
  const bool in_tree = &target == &builtin_target();
  auto builder = in_tree ? nullptr : TargetRegistry::process().builder(target, record.spec.op());
  if (builder != nullptr) {
    plan_for_target(spec, target, std::move(builder), plan, record, binding);
  } else if (!in_tree && (instance.body() == nullptr || instance.body()->has_kernels())) {
    refuse_target(instance, target);
  } else if (instance.body() != nullptr) {
    plan.kernel_hold = instance.body();
  } else if (!device) {
    refuse_without_device(instance);
  } else {
    plan_in_tree(instance, inputs, plan, record, binding);
  }
}

}  // namespace

CallSpec spec_of(const InstanceSpec& spec, const SolvedCall<std::int64_t>& solved, const at::Tensor* const* inputs) {
  const Signature& signature = spec.signature();
  CallSpec call(spec.names());
  call.device = solved.device;
  call.arch = device_arch(solved.device);
  TensorFacts* facts = call.tensors.data();
  for (std::size_t i = 0; i < signature.inputs().size(); ++i) read_facts(inputs[i], *facts++);
  // Tensors given at construction stand behind the call's, as kernels get them.
  for (const at::Tensor& held : spec.construction().tensors) read_facts(held.defined() ? &held : nullptr, *facts++);
  for (const SolvedOutput<std::int64_t>& output : solved.outputs) {
    facts->present = output.present;
    facts->dtype = output.dtype;
    facts++->sizes.assign(output.sizes.begin(), output.sizes.end());
  }
  call.index_words = solved.index_words;
  return call;
}

std::unique_ptr<CallPlan> plan_call(Instance& instance, const CallKey* key, const at::Tensor* const* inputs,
                                    CallBinding& binding) {
  InstanceSpec& spec = instance.spec();
  this_thread().interrupted = false;
  const SolvedCall<std::int64_t> solved = spec.signature().check(spec.construction(), inputs);

  auto plan = std::make_unique<CallPlan>();
  auto record = c10::make_intrusive<CallRecord>(spec_of(spec, solved, inputs));
  if (instance.body() != nullptr) record->stages = instance.delegates().no_stages();
  plan->outputs = record->spec.outputs().facts();
  if (has_effects(spec.signature())) plan_effects(spec, inputs, *plan);

  if (solved.device.is_meta()) {
    // Shapes only: a composite's body asks its sub-operators; nobody is selected, for nothing can run there.
    if (instance.body() != nullptr && !instance.body()->has_kernels()) plan->kernel_hold = instance.body();
  } else if (!solved.empty_write) {
    plan_run(instance, inputs, *plan, *record, call_device(spec, solved.device, inputs), binding);
  }
  plan->kernel = plan->kernel_hold.get();
  plan->record = std::move(record);
  if (key != nullptr) {
    plan->hash = key->hash();
    plan->words.assign(key->words(), key->words() + key->size());
  }
  return plan;
}

}  // namespace opyard
