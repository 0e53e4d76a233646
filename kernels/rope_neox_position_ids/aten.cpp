// Rotates the first columns of each head by its row's position, with aten operators: any strides, all dtypes.
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

void rotate(KernelCall& call, const Rotation& rotation) {
  AtenOriginal original;
  const at::Tensor& x = call.input(0);
  check(call.input(1), rotation.max_position);
  const at::ScalarType precision = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor angles = rotation.angles(call.input(1), precision).unsqueeze(1);
  const at::Tensor cos = angles.cos().to(x.scalar_type()), sin = angles.sin().to(x.scalar_type());
  const std::int64_t half = rotation.width / 2;
  const at::Tensor first = x.narrow(2, 0, half), second = x.narrow(2, half, half);
  const at::Tensor rest = x.narrow(2, rotation.width, x.size(2) - rotation.width);
  call.set_output(0, at::cat({first * cos - second * sin, second * cos + first * sin, rest}, 2));
}

}  // namespace

std::vector<Implementation> rope_neox_position_ids_aten() {
  return {{
      .op = "RoPENeoxPositionIdsFwdOp",
      .key = "aten",
      .devices = {c10::DeviceType::CPU, c10::DeviceType::CUDA},
      .dtypes = aten_dtypes(),
      .general = true,
      .entry_for =
          [](const CallSpec& spec) {
            const Rotation rotation = Rotation::of(spec);
            return Entry{rotation.identity(),
                         [=] { return make_kernel([=](KernelCall& call) { rotate(call, rotation); }); }};
          },
      .expected_us = 20,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
