// silu(gate) * up of the two halves of each row, by torch's own silu: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/dtypes.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

void activate(KernelCall& call) {
  AtenOriginal original;
  const at::Tensor& input = call.input(0);
  const std::int64_t width = input.size(1) / 2;
  call.set_output(0, at::silu(input.narrow(1, 0, width)).mul_(input.narrow(1, width, width)).contiguous());
}

}  // namespace

std::vector<Implementation> silu_and_mul_aten() {
  return {{
      .op = "SiLUAndMulFwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .entry_for =
          [](const CallSpec&) {
            return Entry{Value(), [] { return make_kernel(activate); }};
          },
      .expected_us = 3,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
