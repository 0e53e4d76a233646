// The gradients of functions of one number: the upstream gradient times the derivative, which a function takes from
// its input or its output, whichever says it.
#include <lib/backward_operator.h>

#include <cmath>
#include <map>
#include <numbers>

namespace opyard::kernels::OPYARD_ISA {
namespace {

/// The numbers of a function, in the order in which the forward operator declares them.
struct Numbers {
  std::optional<c10::Scalar> first, second;
  std::string approximate;
};

using Formula = at::Tensor (*)(const at::Tensor& gradient, const at::Tensor& saved, const Numbers& numbers);

constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

// Written out, for aten's own have no derivative: with s the logistic function and t = tanh(softplus(x)).
at::Tensor of_silu(const at::Tensor& gradient, const at::Tensor& x) {
  const at::Tensor s = x.sigmoid();
  return gradient * s * (1 + x * (1 - s));
}

at::Tensor of_mish(const at::Tensor& gradient, const at::Tensor& x) {
  const at::Tensor t = at::softplus(x).tanh();
  return gradient * (t + x * x.sigmoid() * (1 - t.square()));
}

/// Passes the gradient where the clamp let the number through.
at::Tensor inside(const at::Tensor& gradient, const at::Tensor& x, const Numbers& n) {
  at::Tensor passes = at::ones_like(x, at::kBool);
  if (n.first) {
    passes = passes & (x >= *n.first);
  }
  if (n.second) {
    passes = passes & (x <= *n.second);
  }
  return at::where(passes, gradient, 0);
}

const std::map<std::string, Formula>& formulas() {
  using T = const at::Tensor&;
  using N = const Numbers&;
  static const auto& all = *new std::map<std::string, Formula>{
      // of the output y
      {"exp", [](T g, T y, N) { return g * y; }},
      {"sqrt", [](T g, T y, N) { return g / (2 * y); }},
      {"rsqrt", [](T g, T y, N) { return g * y.pow(3) * -0.5; }},
      {"reciprocal", [](T g, T y, N) { return g * y.square().neg(); }},
      {"expm1", [](T g, T y, N) { return g * (y + 1); }},
      {"sigmoid", [](T g, T y, N) { return at::sigmoid_backward(g, y); }},
      {"tanh", [](T g, T y, N) { return at::tanh_backward(g, y); }},
      {"relu", [](T g, T y, N) { return at::threshold_backward(g, y, 0); }},
      // of the input x
      {"zero", [](T g, T x, N) { return at::zeros_like(g); }},
      {"neg", [](T g, T x, N) { return g.neg(); }},
      {"log", [](T g, T x, N) { return g / x; }},
      {"log1p", [](T g, T x, N) { return g / (x + 1); }},
      {"abs", [](T g, T x, N) { return g * x.sgn(); }},
      {"sin", [](T g, T x, N) { return g * x.cos(); }},
      {"cos", [](T g, T x, N) { return g * x.sin().neg(); }},
      {"erf", [](T g, T x, N) { return g * x.square().neg().exp() * (2 * std::numbers::inv_sqrtpi); }},
      {"gelu", [](T g, T x, N n) { return at::gelu_backward(g, x, n.approximate); }},
      {"silu", [](T g, T x, N) { return of_silu(g, x); }},
      {"hardswish", [](T g, T x, N) { return at::hardswish_backward(g, x); }},
      {"hardsigmoid", [](T g, T x, N) { return at::hardsigmoid_backward(g, x); }},
      {"mish", [](T g, T x, N) { return of_mish(g, x); }},
      {"selu", [](T g, T x, N) { return at::elu_backward(g, kSeluAlpha, kSeluScale, 1, /*is_result=*/false, x); }},
      {"elu", [](T g, T x, N n) { return at::elu_backward(g, *n.first, 1, 1, /*is_result=*/false, x); }},
      {"leaky_relu", [](T g, T x, N n) { return at::leaky_relu_backward(g, x, *n.first, /*self_is_result=*/false); }},
      {"hardtanh", [](T g, T x, N n) { return at::hardtanh_backward(g, x, *n.first, *n.second); }},
      {"softplus", [](T g, T x, N n) { return at::softplus_backward(g, x, *n.first, *n.second); }},
      {"clamp", inside},
      {"nan_to_num", [](T g, T x, N) { return at::where(x.isfinite(), g, 0); }},
  };
  return all;
}

struct Derivative {
  Formula formula;
  Numbers numbers;
  static Derivative of(const CallSpec& spec) {
    return {formulas().at(spec.param("function").get<std::string>()),
            {optional_scalar(spec.param("first")), optional_scalar(spec.param("second")),
             spec.param("approximate").get<std::string>()}};
  }
};

void differentiate(KernelCall& call, const Derivative& by) {
  give(call, 0, by.formula(widened(call.input(0)), widened(call.input(1)), by.numbers), call.input(1).scalar_type());
}

}  // namespace

std::vector<Implementation> elementwise_unary_backward() {
  return {backward_operator("ElementwiseUnaryBwdOp", 2, differentiate)};
}

}  // namespace opyard::kernels::OPYARD_ISA
