// What is done around a kernel of a target: the guarantees with which it is called.
#pragma once

#include <opyard/kernel.h>

#include <memory>
#include <vector>

namespace opyard {

/// Runs `kernel` with contiguous copies of the inputs numbered in `strided`, on `device` as the current one.
std::shared_ptr<const Kernel> with_guarantees(std::shared_ptr<const Kernel> kernel, std::size_t input_count,
                                              std::vector<TensorFacts> outputs, std::vector<std::size_t> strided,
                                              c10::Device device);

/// Runs `kernel` on the inputs of `call` with outputs of its own, which stay in `outputs`.
void run_aside(const Kernel& kernel, const at::Tensor* const* inputs, const std::vector<TensorFacts>& facts,
               std::vector<at::Tensor>& outputs, c10::Device device);

/// The inputs of a call as a new kernel call takes them; null where absent.
std::vector<const at::Tensor*> inputs_of(const KernelCall& call, std::size_t count);

}  // namespace opyard
