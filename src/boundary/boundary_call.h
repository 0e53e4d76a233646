// A custom op's call: finds the instance or the spec that its key names, and joins the way of a call.
#pragma once

#include <ATen/core/stack.h>
#include <c10/util/SmallVector.h>
#include <call/instance.h>
#include <signature/effects.h>

namespace opyard {

/// The tensors of one boxed call, in the signature's order; null where absent. Points into the stack.
using StackInputs = c10::SmallVector<const at::Tensor*, 12>;
StackInputs stack_inputs(const Signature& signature, const torch::jit::Stack& stack);

/// The instance that a key names: a living one, or for a spec the one that all graphs of the process share.
/// Throws SignatureError when a key's instance is gone, or of another operator.
std::shared_ptr<Instance> instance_of(Registry& registry, const Signature& signature, const std::string& key);

/// Replaces the arguments on the stack by the results that a custom op of these effects returns.
void boundary_call(Registry& registry, const Signature& signature, const Effects& effects, torch::jit::Stack& stack);

/// Throws SignatureError when a call has other effects than the custom op that it came through.
void check_branch(const Instance& instance, const Effects& effects, const StackInputs& inputs);

}  // namespace opyard
