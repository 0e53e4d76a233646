// Functions of two or three tensors that broadcast against each other, by aten: any strides, all dtypes.
#include <ATen/ATen.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

using Out = at::Tensor& (*)(at::Tensor& out, const at::Tensor& self, const at::Tensor& other);

template <Out kFunction>
void write(KernelCall& call, const NoParameters&) {
  kFunction(call.output(0), call.input(0), call.input(1));
}

/// The one number of an operator: alpha, weight or value.
struct Number {
  c10::Scalar value;
  static Number of(const CallSpec& spec) { return {scalar(spec.params().front().second)}; }
};

void add(KernelCall& call, const Number& alpha) {
  at::add_out(call.output(0), call.input(0), call.input(1), alpha.value);
}

void subtract(KernelCall& call, const Number& alpha) {
  at::sub_out(call.output(0), call.input(0), call.input(1), alpha.value);
}

void lerp(KernelCall& call, const Number& weight) {
  at::lerp_out(call.output(0), call.input(0), call.input(1), weight.value);
}

void lerp_by_tensor(KernelCall& call, const NoParameters&) {
  at::lerp_out(call.output(0), call.input(0), call.input(1), call.input(2));
}

struct Rounding {
  std::optional<std::string> mode;
  static Rounding of(const CallSpec& spec) {
    const Value& mode = spec.param("rounding_mode");
    return {mode.is_none() ? std::nullopt : std::optional<std::string>(mode.get<std::string>())};
  }
};

void divide(KernelCall& call, const Rounding& rounding) {
  const auto mode = rounding.mode ? std::optional<c10::string_view>(*rounding.mode) : std::nullopt;
  at::div_out(call.output(0), call.input(0), call.input(1), mode);
}

void prelu(KernelCall& call, const NoParameters&) {
  call.set_output(0, at::prelu(call.input(0), call.input(1)).contiguous());
}

void fill_with_number(KernelCall& call, const Number& value) {
  call.set_output(0, at::masked_fill(call.input(0), call.input(1), value.value).contiguous());
}

void fill_with_tensor(KernelCall& call, const NoParameters&) {
  call.set_output(0, at::masked_fill(call.input(0), call.input(1), call.input(2)).contiguous());
}

void where(KernelCall& call, const NoParameters&) {
  at::where_out(call.output(0), call.input(0), call.input(1), call.input(2));
}

}  // namespace

std::vector<Implementation> elementwise_binary_aten() {
  return {
      aten_operator("PReLUFwdOp", 2, prelu),
      aten_operator("MaskedFillTensorFwdOp", 2, fill_with_tensor),
      aten_operator("MaskedFillScalarFwdOp", 2, fill_with_number),
      aten_operator("AddFwdOp", 1, add),
      aten_operator("SubFwdOp", 1, subtract),
      aten_operator("MulFwdOp", 1, write<at::mul_out>),
      aten_operator("DivFwdOp", 1, divide),
      aten_operator("RemainderFwdOp", 1, write<at::remainder_out>),
      aten_operator("PowFwdOp", 1, write<at::pow_out>),
      aten_operator("FloorDivideFwdOp", 1, write<at::floor_divide_out>),
      aten_operator("LerpScalarFwdOp", 1, lerp),
      aten_operator("LerpTensorFwdOp", 1, lerp_by_tensor),
      aten_operator("MaximumFwdOp", 1, write<at::maximum_out>),
      aten_operator("MinimumFwdOp", 1, write<at::minimum_out>),
      aten_operator("EqFwdOp", 1, write<at::eq_out>),
      aten_operator("NeFwdOp", 1, write<at::ne_out>),
      aten_operator("GtFwdOp", 1, write<at::gt_out>),
      aten_operator("LtFwdOp", 1, write<at::lt_out>),
      aten_operator("GeFwdOp", 1, write<at::ge_out>),
      aten_operator("LeFwdOp", 1, write<at::le_out>),
      aten_operator("LogicalAndFwdOp", 1, write<at::logical_and_out>),
      aten_operator("LogicalOrFwdOp", 1, write<at::logical_or_out>),
      aten_operator("BitwiseAndFwdOp", 1, write<at::bitwise_and_out>),
      aten_operator("BitwiseOrFwdOp", 1, write<at::bitwise_or_out>),
      aten_operator("BitwiseXorFwdOp", 1, write<at::bitwise_xor_out>),
      aten_operator("WhereFwdOp", 2, where),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
