#include <ATen/Functions.h>
#include <boundary/boundary.h>
#include <boundary/boundary_call.h>
#include <boundary/fake.h>
#include <call/plain_call.h>
#include <call/plan_call.h>
#include <call/run_call.h>

namespace opyard {

void fake_call(Registry& registry, const Signature& signature, const Effects& effects, torch::jit::Stack& stack) {
  const std::shared_ptr<Instance> instance = instance_of(registry, signature, stack.back().toStringRef());
  c10::SmallVector<at::Tensor, 4> outputs;
  {
    const StackInputs inputs = stack_inputs(signature, stack);
    check_branch(*instance, effects, inputs);
    const auto solved = signature.infer(instance->spec().construction(), inputs.data());
    for (const auto& output : solved.outputs)
      outputs.push_back(output.present
                            ? at::empty_symint(output.sizes, at::TensorOptions().dtype(output.dtype).device(at::kMeta))
                            : at::Tensor());
    // An eager call on meta tensors is a call of the instance; what a tracer asks is not, and its sizes may be symbols.
    if (!may_be_traced(inputs.data(), inputs.size())) record_meta_call(*instance, inputs.data());
  }
  torch::jit::drop(stack, signature.inputs().size() + 1);
  for (const std::size_t i : returned_outputs(effects)) stack.emplace_back(std::move(outputs[i]));
}

}  // namespace opyard
