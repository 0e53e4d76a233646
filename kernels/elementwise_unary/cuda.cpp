// Functions of one number in CUDA C++: one kernel, compiled for the functions that are called.
#include <lib/aten_operator.h>
#include <lib/cuda/elementwise_kernel.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr ElementwiseFunction kFunctions[] = {
    {"ExpFwdOp", "expf(x)"},
    {"LogFwdOp", "logf(x)"},
    {"SqrtFwdOp", "sqrtf(x)"},
    {"RsqrtFwdOp", "rsqrtf(x)"},
    {"AbsFwdOp", "fabsf(x)"},
    {"NegFwdOp", "-x"},
    {"ReciprocalFwdOp", "1.0f / x"},
    {"SinFwdOp", "sinf(x)"},
    {"CosFwdOp", "cosf(x)"},
    {"FloorFwdOp", "floorf(x)"},
    {"CeilFwdOp", "ceilf(x)"},
    {"TruncFwdOp", "truncf(x)"},
    {"ErfFwdOp", "erff(x)"},
    {"Log1pFwdOp", "log1pf(x)"},
    {"Expm1FwdOp", "expm1f(x)"},
    {"SigmoidFwdOp", "sigmoid(x)"},
    {"TanhFwdOp", "tanhf(x)"},
    {"ReLUFwdOp", "x < 0.0f ? 0.0f : x"},
    {"SiLUFwdOp", "x * sigmoid(x)"},
    {"HardswishFwdOp", "x * clamp(x + 3.0f, 0.0f, 6.0f) * (1.0f / 6.0f)"},
    {"HardsigmoidFwdOp", "clamp(x + 3.0f, 0.0f, 6.0f) * (1.0f / 6.0f)"},
    {"MishFwdOp", "x * tanhf(softplus(x, 1.0f, 20.0f))"},
    {"SELUFwdOp", "1.0507009873554805f * elu(x, 1.6732632423543772f)"},
    {"LeakyReLUFwdOp", "x > 0.0f ? x : x * a"},
    {"ELUFwdOp", "elu(x, a)"},
    {"HardtanhFwdOp", "clamp(x, a, b)"},
    {"SoftplusFwdOp", "softplus(x, a, b)"},
};

/// The numbers that are declared, in order.
ElementwiseNumbers numbers_of(const CallSpec& spec) {
  ElementwiseNumbers numbers;
  float* next = &numbers.a;
  for (const auto& [name, value] : spec.params()) {
    if (name != "inplace") {
      *next = static_cast<float>(number(value));
      next = &numbers.b;
    }
  }
  return numbers;
}

ElementwiseNumbers no_numbers(const CallSpec&) { return {}; }

/// By one expression for each approximation.
Implementation gelu() {
  const Implementation exact = elementwise_implementation({"GELUFwdOp", "gelu(x)"}, no_numbers);
  const Implementation by_tanh = elementwise_implementation({"GELUFwdOp", "gelu_tanh(x)"}, no_numbers);
  Implementation either = exact;
  either.entry_for = [exact, by_tanh](const CallSpec& spec) {
    return (spec.param("approximate").get<std::string>() == "tanh" ? by_tanh : exact).entry_for(spec);
  };
  return either;
}

}  // namespace

std::vector<Implementation> elementwise_unary_cuda() {
  std::vector<Implementation> all = {gelu()};
  for (const ElementwiseFunction& function : kFunctions) {
    all.push_back(elementwise_implementation(function, numbers_of));
  }
  return all;
}

}  // namespace opyard::kernels::OPYARD_ISA
