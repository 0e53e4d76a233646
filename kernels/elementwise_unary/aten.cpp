// Functions of one number, element by element, by aten: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

using Out = at::Tensor& (*)(at::Tensor& out, const at::Tensor& self);

template <Out kFunction>
void write(KernelCall& call, const NoParameters&) {
  kFunction(call.output(0), call.input(0));
}

void is_finite(KernelCall& call, const NoParameters&) { call.set_output(0, at::isfinite(call.input(0)).contiguous()); }

void relu(KernelCall& call, const NoParameters&) { at::clamp_min_out(call.output(0), call.input(0), 0); }

void selu(KernelCall& call, const NoParameters&) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  at::elu_out(call.output(0), call.input(0), kAlpha, kScale);
}

/// The numbers of the functions that take some, in the order of the declaration.
struct Numbers {
  std::vector<std::optional<c10::Scalar>> all;

  static Numbers of(const CallSpec& spec) {
    Numbers numbers;
    for (const auto& [name, value] : spec.params()) {
      if (name != "inplace") {
        numbers.all.push_back(optional_scalar(value));
      }
    }
    return numbers;
  }
  const c10::Scalar& operator[](std::size_t i) const { return *all[i]; }
  std::optional<double> real(std::size_t i) const {
    return all[i] ? std::optional<double>(all[i]->toDouble()) : std::nullopt;
  }
};

void leaky_relu(KernelCall& call, const Numbers& n) { at::leaky_relu_out(call.output(0), call.input(0), n[0]); }
void elu(KernelCall& call, const Numbers& n) { at::elu_out(call.output(0), call.input(0), n[0]); }
void hardtanh(KernelCall& call, const Numbers& n) { at::clamp_out(call.output(0), call.input(0), n.all[0], n.all[1]); }
void softplus(KernelCall& call, const Numbers& n) { at::softplus_out(call.output(0), call.input(0), n[0], n[1]); }
void clamp(KernelCall& call, const Numbers& n) { at::clamp_out(call.output(0), call.input(0), n.all[0], n.all[1]); }

void round_to_decimals(KernelCall& call, const Numbers& n) {
  if (n[0].toLong() == 0) {
    at::round_out(call.output(0), call.input(0));
  } else {
    at::round_out(call.output(0), call.input(0), n[0].toLong());
  }
}

void nan_to_num(KernelCall& call, const Numbers& n) {
  at::nan_to_num_out(call.output(0), call.input(0), n.real(0), n.real(1), n.real(2));
}

struct Approximation {
  std::string name;
  static Approximation of(const CallSpec& spec) { return {spec.param("approximate").get<std::string>()}; }
};

void gelu(KernelCall& call, const Approximation& by) { at::gelu_out(call.output(0), call.input(0), by.name); }

void clamp_by_tensors(KernelCall& call, const NoParameters&) {
  const auto bound = [&](std::size_t i) {
    return call.has_input(i) ? std::optional<at::Tensor>(call.input(i)) : std::nullopt;
  };
  at::clamp_out(call.output(0), call.input(0), bound(1), bound(2));
}

}  // namespace

std::vector<Implementation> elementwise_unary_aten() {
  return {
      aten_operator("ExpFwdOp", 1, write<at::exp_out>),
      aten_operator("LogFwdOp", 1, write<at::log_out>),
      aten_operator("SqrtFwdOp", 1, write<at::sqrt_out>),
      aten_operator("RsqrtFwdOp", 1, write<at::rsqrt_out>),
      aten_operator("AbsFwdOp", 1, write<at::abs_out>),
      aten_operator("NegFwdOp", 1, write<at::neg_out>),
      aten_operator("ReciprocalFwdOp", 1, write<at::reciprocal_out>),
      aten_operator("SignFwdOp", 1, write<at::sign_out>),
      aten_operator("SinFwdOp", 1, write<at::sin_out>),
      aten_operator("CosFwdOp", 1, write<at::cos_out>),
      aten_operator("FloorFwdOp", 1, write<at::floor_out>),
      aten_operator("CeilFwdOp", 1, write<at::ceil_out>),
      aten_operator("RoundFwdOp", 1, round_to_decimals),
      aten_operator("TruncFwdOp", 1, write<at::trunc_out>),
      aten_operator("ErfFwdOp", 1, write<at::erf_out>),
      aten_operator("Log1pFwdOp", 1, write<at::log1p_out>),
      aten_operator("Expm1FwdOp", 1, write<at::expm1_out>),
      aten_operator("SigmoidFwdOp", 1, write<at::sigmoid_out>),
      aten_operator("TanhFwdOp", 1, write<at::tanh_out>),
      aten_operator("LogicalNotFwdOp", 1, write<at::logical_not_out>),
      aten_operator("BitwiseNotFwdOp", 1, write<at::bitwise_not_out>),
      aten_operator("IsnanFwdOp", 1, write<at::isnan_out>),
      aten_operator("IsinfFwdOp", 1, write<at::isinf_out>),
      aten_operator("IsfiniteFwdOp", 1, is_finite),
      aten_operator("ReLUFwdOp", 1, relu),
      aten_operator("GELUFwdOp", 1, gelu),
      aten_operator("SiLUFwdOp", 1, write<at::silu_out>),
      aten_operator("HardswishFwdOp", 1, write<at::hardswish_out>),
      aten_operator("HardsigmoidFwdOp", 1, write<at::hardsigmoid_out>),
      aten_operator("MishFwdOp", 1, write<at::mish_out>),
      aten_operator("SELUFwdOp", 1, selu),
      aten_operator("LeakyReLUFwdOp", 1, leaky_relu),
      aten_operator("ELUFwdOp", 1, elu),
      aten_operator("HardtanhFwdOp", 1, hardtanh),
      aten_operator("SoftplusFwdOp", 1, softplus),
      aten_operator("ClampTensorFwdOp", 1, clamp_by_tensors),
      aten_operator("ClampScalarFwdOp", 1, clamp),
      aten_operator("NanToNumFwdOp", 1, nan_to_num),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
