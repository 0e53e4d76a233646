#include <boundary/call_op.h>
#include <call/explain.h>
#include <opyard/error.h>
#include <opyard/op.h>

namespace opyard {
namespace {

StackInputs pointers(const Signature& signature, c10::ArrayRef<at::Tensor> inputs) {
  const std::size_t count = signature.inputs().size();
  if (inputs.size() > count)
    throw SignatureError(SignatureError::Kind::kType, "a call gives too many inputs",
                         {.op = signature.op(),
                          .expected = "at most " + std::to_string(count),
                          .got = std::to_string(inputs.size()),
                          .declared_at = signature.declared_at()});
  StackInputs all(count, nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].defined()) all[i] = &inputs[i];
  return all;
}

OpOutputs call(Instance& instance, c10::ArrayRef<at::Tensor> inputs) {
  return call_op(instance, instance.key(), pointers(instance.signature(), inputs));
}

}  // namespace

at::Tensor Op::operator()(std::initializer_list<at::Tensor> inputs) const {
  OpOutputs outputs = opyard::call(*instance_, inputs);
  return outputs.empty() ? at::Tensor() : std::move(outputs[0]);
}

std::vector<at::Tensor> Op::call(c10::ArrayRef<at::Tensor> inputs) const {
  OpOutputs outputs = opyard::call(*instance_, inputs);
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
