// Functions of two numbers in CUDA C++, of one shape or with one number for all.
#include <lib/aten_operator.h>
#include <lib/cuda/elementwise_kernel.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

/// alpha or weight, where one is declared.
ElementwiseNumbers number_of(const CallSpec& spec) {
  return {spec.params().empty() ? 0.0f : static_cast<float>(number(spec.params().front().second))};
}

}  // namespace

std::vector<Implementation> elementwise_binary_cuda() {
  std::vector<Implementation> all;
  for (const ElementwiseFunction& function : std::initializer_list<ElementwiseFunction>{
           {"AddFwdOp", "fmaf(y, a, x)"},
           {"SubFwdOp", "fmaf(-y, a, x)"},
           {"MulFwdOp", "x * y"},
           {"LerpScalarFwdOp", "a < 0.5f ? x + a * (y - x) : y - (y - x) * (1.0f - a)"},
           {"MaximumFwdOp", "larger(x, y)"},
           {"MinimumFwdOp", "smaller(x, y)"},
       }) {
    all.push_back(elementwise_implementation(function, number_of));
  }
  return all;
}

}  // namespace opyard::kernels::OPYARD_ISA
