// The gradient of silu(gate) * up: silu'(gate) * up * gradient beside silu(gate) * gradient.
#include <lib/backward_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

void differentiate(KernelCall& call, const NoParameters&) {
  const at::Tensor gradient = widened(call.input(0)), input = widened(call.input(1));
  const std::int64_t width = input.size(1) / 2;
  const at::Tensor gate = input.narrow(1, 0, width), up = input.narrow(1, width, width);
  const at::Tensor s = gate.sigmoid();  // aten's own silu_backward has no derivative
  give(call, 0, at::cat({gradient * up * s * (1 + gate * (1 - s)), gradient * gate * s}, 1),
       call.input(1).scalar_type());
}

}  // namespace

std::vector<Implementation> silu_and_mul_backward() { return {backward_operator("SiLUAndMulBwdOp", 6, differentiate)}; }

}  // namespace opyard::kernels::OPYARD_ISA
