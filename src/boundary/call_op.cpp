#include <boundary/boundary.h>
#include <boundary/call_op.h>
#include <call/plain_call.h>
#include <call/run_call.h>
#include <signature/composition.h>

namespace opyard {
namespace {

// Where modes, gradients, autocast, the profiler, or a conjugate or negative bit matter.
void call_boundary(const Instance& instance, const std::string& key, const StackInputs& inputs, OpOutputs& outputs) {
  define_boundaries(Registry::process());
  const Signature& signature = instance.signature();
  const Effects effects = effects_of(signature, instance.spec().construction(), inputs.data());
  const std::string name = "opyard::" + boundary_name(signature, effects);
  torch::jit::Stack stack;
  for (const at::Tensor* input : inputs) stack.push_back(input == nullptr ? c10::IValue() : c10::IValue(*input));
  stack.emplace_back(key);
  c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), "").callBoxed(&stack);
  const auto returned = returned_outputs(effects);
  for (std::size_t i = 0; i < returned.size(); ++i) outputs[returned[i]] = std::move(stack[i]).toTensor();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (effects.aliased[i] >= 0) outputs[i] = *inputs[effects.aliased[i]];
}

}  // namespace

OpOutputs call_op(Instance& instance, const std::string& key, const StackInputs& inputs) {
  OpOutputs outputs(instance.signature().outputs().size());
  const bool plain = thread_is_plain() && tensors_are_plain(inputs.data(), inputs.size());
  // A composite has no boundary: modes and gradients meet the calls that it makes.
  if (plain || inputs.empty() || is_composite(instance.signature())) [[likely]]
    run_call(instance, inputs.data(), outputs.data());
  else
    call_boundary(instance, key, inputs, outputs);
  return outputs;
}

}  // namespace opyard
