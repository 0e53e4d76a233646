// An operator made of others, in C++: declared by a manifest of its own, computed by those it holds. No Python.
#include <ATen/ATen.h>
#include <opyard/opyard.h>

#include <iostream>

namespace {

opyard::Op norm_then_gate(std::int64_t width, double eps) {
  const opyard::Op norm =
      opyard::make_op("RMSNormFwdOp", {{"normalized_shape", opyard::Sequence{width}}, {"eps", eps}});
  const opyard::Op gate = opyard::make_op("SiLUAndMulFwdOp");
  return opyard::make_composite("GatedNormFwdOp", {{"width", width}, {"eps", eps}}, {{"norm", norm}, {"gate", gate}},
                                [=](opyard::KernelCall& call) { call.set_output(0, gate({norm({call.input(0)})})); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " gated_norm.yaml\n";
    return 2;
  }
  opyard::load_manifest(argv[1]);
  const opyard::Op op = norm_then_gate(16, 1e-6);
  const at::Tensor x = at::randn({4, 16}), normed = at::rms_norm(x, {16}, {}, 1e-6);
  if (!at::allclose(op({x}), at::silu(normed.slice(1, 0, 8)) * normed.slice(1, 8), 1e-4, 1e-5)) return 1;
  try {
    op({at::randn({4, 12})});
    return 1;
  } catch (const opyard::SignatureError& error) {
    std::cout << error.what() << "\n";
  }
  for (const auto& [stage, calls] : op.last_call()->stages)
    for (const auto& record : calls) std::cout << stage << ": " << record->implementation << "\n";
  return 0;
}
