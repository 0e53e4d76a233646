#include <call/explain.h>
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

}  // namespace

at::Tensor Op::operator()(std::initializer_list<at::Tensor> inputs) const {
  const Pointers all = pointers(instance_->signature(), inputs);
  c10::SmallVector<at::Tensor, 4> outputs(instance_->signature().outputs().size());
  run_call(*instance_, all.data(), outputs.data());
  return outputs.empty() ? at::Tensor() : std::move(outputs[0]);
}

std::vector<at::Tensor> Op::call(c10::ArrayRef<at::Tensor> inputs) const {
  const Pointers all = pointers(instance_->signature(), inputs);
  std::vector<at::Tensor> outputs(instance_->signature().outputs().size());
  run_call(*instance_, all.data(), outputs.data());
  return outputs;
}

std::string Op::last_implementation() const {
  if (const CallRecordPtr record = instance_->last_call()) return record->implementation;
  throw SignatureError(SignatureError::Kind::kValue, "the operator has completed no call yet",
                       {.op = instance_->signature().op(), .advice = "call it first"});
}

std::string Op::explain(c10::ArrayRef<at::Tensor> inputs) const {
  return opyard::explain(*instance_, pointers(instance_->signature(), inputs).data());
}

Op make_op(const std::string& op, const std::vector<NamedValue>& params, const std::string& target) {
  return Op(Instance::make(Registry::process(), op, params, target));
}

}  // namespace opyard
