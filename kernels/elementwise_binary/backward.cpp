// The gradients of functions of two tensors that broadcast: each operand's is summed over the dims that it lacks.
#include <lib/backward_operator.h>

#include <map>

namespace opyard::kernels::OPYARD_ISA {
namespace {

/// The gradients of both operands, before they are summed.
using Formula = std::pair<at::Tensor, at::Tensor> (*)(const at::Tensor& gradient, const at::Tensor& a,
                                                      const at::Tensor& b, const c10::Scalar& number);

/// Equal operands share the gradient.
std::pair<at::Tensor, at::Tensor> of_greater(const at::Tensor& gradient, const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor half = at::where(a == b, gradient / 2, gradient);
  return {at::where(a >= b, half, 0), at::where(b >= a, half, 0)};
}

std::pair<at::Tensor, at::Tensor> of_power(const at::Tensor& gradient, const at::Tensor& a, const at::Tensor& b) {
  // x^0 is 1 everywhere, and 0^y is 0 for every y above 0: neither changes with its other operand.
  const at::Tensor of_base = at::where(b == 0, at::zeros_like(gradient), gradient * b * a.pow(b - 1));
  const at::Tensor of_exponent =
      at::where((a == 0).logical_and(b >= 0), at::zeros_like(gradient), gradient * a.pow(b) * a.log());
  return {of_base, of_exponent};
}

const std::map<std::string, Formula>& formulas() {
  using T = const at::Tensor&;
  using S = const c10::Scalar&;
  static const auto& all = *new std::map<std::string, Formula>{
      {"mul", [](T g, T a, T b, S) { return std::pair(g * b, g * a); }},
      {"div", [](T g, T a, T b, S) { return std::pair(g / b, (g * a / b / b).neg()); }},
      {"pow", [](T g, T a, T b, S) { return of_power(g, a, b); }},
      {"maximum", [](T g, T a, T b, S) { return of_greater(g, a, b); }},
      {"minimum", [](T g, T a, T b, S) { return of_greater(g, a.neg(), b.neg()); }},
      {"remainder", [](T g, T a, T b, S) { return std::pair(g, (g * (a / b).floor()).neg()); }},
      {"prelu", [](T g, T a, T b, S) { return std::pair(at::where(a > 0, g, g * b), at::where(a > 0, 0, g * a)); }},
  };
  return all;
}

struct Derivative {
  Formula formula;
  bool rounded, by_channel, needs_input, needs_other;
  static Derivative of(const CallSpec& spec) {
    const std::string& function = spec.param("function").get<std::string>();
    return {formulas().at(function), !spec.param("rounding_mode").is_none(), function == "prelu",
            flag(spec, "needs_input"), flag(spec, "needs_other")};
  }
};

void differentiate(KernelCall& call, const Derivative& by) {
  const at::Tensor gradient = widened(call.input(0)), a = widened(call.input(1));
  at::Tensor b = widened(call.input(2));
  const bool channels = by.by_channel && b.dim() == 1 && a.dim() > 1;
  if (channels) {  // a slope for each index of dim 1
    std::vector<std::int64_t> shape(static_cast<std::size_t>(a.dim()), 1);
    shape[1] = b.size(0);
    b = b.view(shape);
  }
  // A quotient cut to a whole number changes in jumps alone.
  const auto [da, db] =
      by.rounded ? std::pair(at::zeros_like(gradient), at::zeros_like(gradient)) : by.formula(gradient, a, b, 0);
  const at::ScalarType dtype = call.input(1).scalar_type();
  if (by.needs_input) {
    give(call, 0, da.expand(gradient.sizes()).sum_to_size(call.input(1).sizes()).clone(), dtype);
  }
  if (by.needs_other) {
    give(call, 1, db.expand(gradient.sizes()).sum_to_size(b.sizes()).reshape(call.input(2).sizes()).clone(), dtype);
  }
}

/// Functions that are linear in both operands read neither: each gradient is the upstream one, times a number.
struct Factors {
  double of_input, of_other;
  bool needs_input, needs_other;
  static Factors of(const CallSpec& spec) {
    const std::string& function = spec.param("function").get<std::string>();
    const double by = number(spec.param("number"));
    const bool lerp = function == "lerp";
    return {lerp ? 1.0 - by : 1.0, function == "sub" ? -by : by, flag(spec, "needs_input"), flag(spec, "needs_other")};
  }
};

void scale(KernelCall& call, const Factors& by) {
  const at::Tensor& gradient = call.input(0);
  if (by.needs_input) {
    call.set_output(0, at::mul(gradient, by.of_input).contiguous());
  }
  if (by.needs_other) {
    call.set_output(1, at::mul(gradient, by.of_other).contiguous());
  }
}

}  // namespace

std::vector<Implementation> elementwise_binary_backward() {
  return {backward_operator("ElementwiseBinaryBwdOp", 4, differentiate),
          backward_operator("ElementwiseLinearBwdOp", 2, scale)};
}

}  // namespace opyard::kernels::OPYARD_ISA
