// Makes a call ready ahead of it: from the facts of its tensors, which need not exist.
#pragma once

#include <call/instance.h>

#include <string>

namespace opyard {

/// A tensor of these facts, contiguous, without memory: for what reads no values.
at::Tensor without_memory(c10::IntArrayRef sizes, c10::ScalarType dtype, c10::Device device);

/// Does what a first call does before it runs: check, target, select, build; a later call finds the plan. Throws what
/// a call does, and SignatureError for an operator with a body, which asks for its kernels as it runs.
void warm_up(Instance& instance, const at::Tensor* const* inputs);

/// Builds what would serve the call on a device of an architecture such as "sm_90a" into the artefact store, and leaves
/// the instance as it was. Gives the implementation's key; "" where nothing runs. The inputs are on a CUDA device,
/// which need not be here.
std::string compile_ahead(Instance& instance, const at::Tensor* const* inputs, const std::string& arch);

}  // namespace opyard
