#include <boundary/boundary.h>
#include <call/explain.h>
#include <call/plain_call.h>
#include <call/run_call.h>
#include <opyard/error.h>
#include <opyard/op.h>

namespace opyard {
namespace {

using Pointers = c10::SmallVector<const at::Tensor*, 12>;

Pointers pointers(const Signature& signature, c10::ArrayRef<at::Tensor> inputs) {
  const std::size_t count = signature.inputs().size();
  if (inputs.size() > count)
    throw SignatureError(SignatureError::Kind::kType, "a call gives too many inputs",
                         {.op = signature.op(),
                          .expected = "at most " + std::to_string(count),
                          .got = std::to_string(inputs.size()),
                          .declared_at = signature.declared_at()});
  Pointers all(count, nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].defined()) all[i] = &inputs[i];
  return all;
}

using Outputs = c10::SmallVector<at::Tensor, 4>;

// Where modes, gradients, autocast, the profiler, or a conjugate or negative bit matter: through torch's dispatcher.
void call_boundary(const Instance& instance, const Pointers& inputs, Outputs& outputs) {
  define_boundaries(Registry::process());
  const Signature& signature = instance.signature();
  const Effects effects = effects_of(signature, instance.spec().construction(), inputs.data());
  const std::string name = "opyard::" + boundary_name(signature, effects);
  torch::jit::Stack stack;
  for (const at::Tensor* input : inputs) stack.push_back(input == nullptr ? c10::IValue() : c10::IValue(*input));
  stack.emplace_back(instance.key());
  c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), "").callBoxed(&stack);
  const auto returned = returned_outputs(effects);
  for (std::size_t i = 0; i < returned.size(); ++i) outputs[returned[i]] = std::move(stack[i]).toTensor();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (effects.aliased[i] >= 0) outputs[i] = *inputs[effects.aliased[i]];
}

Outputs call_op(Instance& instance, c10::ArrayRef<at::Tensor> inputs) {
  const Pointers all = pointers(instance.signature(), inputs);
  Outputs outputs(instance.signature().outputs().size());
  const bool plain = thread_is_plain() && tensors_are_plain(all.data(), all.size());
  if (plain || instance.signature().inputs().empty()) [[likely]]
    run_call(instance, all.data(), outputs.data());
  else
    call_boundary(instance, all, outputs);
  return outputs;
}

}  // namespace

at::Tensor Op::operator()(std::initializer_list<at::Tensor> inputs) const {
  Outputs outputs = call_op(*instance_, inputs);
  return outputs.empty() ? at::Tensor() : std::move(outputs[0]);
}

std::vector<at::Tensor> Op::call(c10::ArrayRef<at::Tensor> inputs) const {
  Outputs outputs = call_op(*instance_, inputs);
  return {std::make_move_iterator(outputs.begin()), std::make_move_iterator(outputs.end())};
}

CallRecordPtr Op::last_call() const { return instance_->last_call(); }

std::string Op::explain(c10::ArrayRef<at::Tensor> inputs) const {
  return opyard::explain(*instance_, pointers(instance_->signature(), inputs).data());
}

Op make_op(const std::string& op, const std::vector<NamedValue>& params, const std::string& target) {
  return Op(Instance::make(Registry::process(), op, params, target));
}

}  // namespace opyard
