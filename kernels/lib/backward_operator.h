// The general implementation of a backward operator: a formula in aten operators, wherever aten computes.
#pragma once

#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {

/// As aten_operator, on every device that aten has kernels for.
template <class Parameters>
Implementation backward_operator(const char* op, double expected_us,
                                 void (*run)(KernelCall& call, const Parameters& parameters)) {
  Implementation made = aten_operator(op, expected_us, run);
  made.devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA};
  return made;
}

/// In float32 below that: sums and products of a formula are rounded once, at its end.
inline at::Tensor widened(const at::Tensor& tensor) { return tensor.to(at::toOpMathType(tensor.scalar_type())); }

/// Rounds a result to the dtype of the tensor whose gradient it is.
inline void give(KernelCall& call, std::size_t output, const at::Tensor& gradient, at::ScalarType dtype) {
  call.set_output(output, gradient.to(dtype).contiguous());
}

inline std::optional<at::Tensor> optional_tensor(const KernelCall& call, std::size_t i) {
  return call.has_input(i) ? std::optional<at::Tensor>(call.input(i)) : std::nullopt;
}

}  // namespace opyard::kernels::OPYARD_ISA
