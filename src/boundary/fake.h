// The shape function of a custom op: the call check over symbolic sizes, then empty outputs.
#pragma once

#include <ATen/core/stack.h>
#include <registry/registry.h>

namespace opyard {

/// Replaces the arguments on the stack by empty meta tensors with the inferred shapes and dtypes. Selects nothing and
/// records nothing.
void fake_call(Registry& registry, const Signature& signature, torch::jit::Stack& stack);

}  // namespace opyard
