// The shape function of a custom op: the call check over symbolic sizes, then empty outputs.
#pragma once

#include <ATen/core/stack.h>
#include <registry/registry.h>
#include <signature/effects.h>

namespace opyard {

/// Replaces the arguments on the stack by empty meta tensors with the inferred shapes and dtypes, as many as a custom
/// op of these effects returns. Selects nothing and records nothing.
void fake_call(Registry& registry, const Signature& signature, const Effects& effects, torch::jit::Stack& stack);

}  // namespace opyard
