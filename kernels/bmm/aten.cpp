// d = a b for each matrix of a batch by torch's own bmm: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/dtypes.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

void multiply(KernelCall& call) {
  AtenOriginal original;
  if (call.has_output(0)) {
    at::bmm_out(call.output(0), call.input(0), call.input(1));
  } else {
    call.set_output(0, at::bmm(call.input(0), call.input(1)));
  }
}

}  // namespace

std::vector<Implementation> bmm_aten() {
  return {{
      .op = "BMMFwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .entry_for =
          [](const CallSpec&) {
            return Entry{Value(), [] { return make_kernel(multiply); }};
          },
      .expected_us = 2,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
