// x / sqrt(mean(x^2) + eps) * weight by torch's own rms_norm: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/dtypes.h>
#include <lib/parameters.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

Entry entry_for(const CallSpec& spec) {
  const Value& shape = spec.param("normalized_shape");
  const Value& eps = spec.param("eps");
  return {Sequence{shape, eps}, [shape = integers(shape), eps = optional_number(eps)] {
            return make_kernel([=](KernelCall& call) {
              AtenOriginal original;
              const auto weight = call.has_input(1) ? std::optional<at::Tensor>(call.input(1)) : std::nullopt;
              call.set_output(0, at::rms_norm(call.input(0), shape, weight, eps).contiguous());
            });
          }};
}

}  // namespace

std::vector<Implementation> rms_norm_aten() {
  return {{
      .op = "RMSNormFwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .entry_for = entry_for,
      .expected_us = 4,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
