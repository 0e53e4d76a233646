// Position encodings made of sizes alone, by aten.
#include <ATen/ATen.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

at::Tensor counted(std::int64_t size, const at::Tensor& like) {
  return at::arange(size, like.options().dtype(at::kDouble));
}

/// Head h at (i, j): -2^(-8 (h + 1) / heads) |i - j|.
void alibi(KernelCall& call, const NoParameters&) {
  at::Tensor& output = call.output(0);
  const at::Tensor slopes = at::exp2(counted(output.size(0), output).add_(1).mul_(-8.0 / output.size(0))).neg_();
  const at::Tensor positions = counted(output.size(1), output);
  const at::Tensor distances = (positions.unsqueeze(1) - positions).abs_();
  at::mul_out(output, slopes.to(at::kFloat).view({-1, 1, 1}), distances.to(at::kFloat));
}

/// Row p: the sine, and beside it the cosine, of p / 10000^(2 i / d_model).
void sinusoidal(KernelCall& call, const NoParameters&) {
  at::Tensor& output = call.output(0);
  const std::int64_t rows = output.size(0), pairs = output.size(1) / 2;
  const at::Tensor frequencies = at::pow(10000.0, counted(pairs, output).mul_(-1.0 / pairs));
  const at::Tensor angles = counted(rows, output).unsqueeze(1) * frequencies;
  output.view({rows, pairs, 2}).select(2, 0).copy_(angles.sin());
  output.view({rows, pairs, 2}).select(2, 1).copy_(angles.cos());
}

}  // namespace

std::vector<Implementation> elementwise_generative_aten() {
  return {
      aten_operator("AlibiFwdOp", 10, alibi),
      aten_operator("SinusoidalFwdOp", 10, sinusoidal),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
