// Rotates the first columns of each head by its row's position, or back for the gradient, with aten operators: any
// strides, all dtypes.
#include <lib/dtypes.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>
#include <rope_neox_position_ids/rotation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

void check(const at::Tensor& positions, std::int64_t max_position) {
  if (positions.numel() == 0) {
    return;
  }
  const std::int64_t least = positions.min().item<std::int64_t>();
  const std::int64_t most = positions.max().item<std::int64_t>();
  if (least < 0 || most >= max_position) {
    raise_outside(least < 0 ? least : most, max_position);
  }
}

/// `direction` is 1, or -1 to turn back.
void rotate(KernelCall& call, const Rotation& rotation, double direction) {
  AtenOriginal original;
  const at::Tensor& x = call.input(0);
  check(call.input(1), rotation.max_position);
  const at::ScalarType precision = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor angles = rotation.angles(call.input(1), precision).unsqueeze(1);
  const at::Tensor cos = angles.cos().to(x.scalar_type()), sin = (angles.sin() * direction).to(x.scalar_type());
  const std::int64_t half = rotation.width / 2;
  const at::Tensor first = x.narrow(2, 0, half), second = x.narrow(2, half, half);
  const at::Tensor rest = x.narrow(2, rotation.width, x.size(2) - rotation.width);
  call.set_output(0, at::cat({first * cos - second * sin, second * cos + first * sin, rest}, 2));
}

Implementation turning(const char* op, double direction) {
  return {
      .op = op,
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .entry_for =
          [direction](const CallSpec& spec) {
            const Rotation rotation = Rotation::of(spec);
            return Entry{rotation.identity(),
                         [=] { return make_kernel([=](KernelCall& call) { rotate(call, rotation, direction); }); }};
          },
      .expected_us = 20,
  };
}

}  // namespace

std::vector<Implementation> rope_neox_position_ids_aten() {
  return {turning("RoPENeoxPositionIdsFwdOp", 1), turning("RoPENeoxPositionIdsBwdOp", -1)};
}

}  // namespace opyard::kernels::OPYARD_ISA
