// Pooling by aten: any strides, all dtypes.
#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <lib/aten_operator.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

struct Window {
  std::vector<std::int64_t> size, stride, padding, dilation;
  bool ceil = false;
  bool count_padding = true;
  std::optional<std::int64_t> divisor;

  static Window of(const CallSpec& spec) {
    Window window;
    window.size = per_axis(spec, "kernel_size");
    window.stride = per_axis(spec, "stride");
    window.padding = per_axis(spec, "padding");
    window.dilation = find_param(spec, "dilation") != nullptr ? per_axis(spec, "dilation") : window.dilation;
    window.ceil = flag(spec, "ceil_mode");
    window.count_padding = flag(spec, "count_include_pad");
    const Value* divisor = find_param(spec, "divisor_override");
    if (divisor != nullptr && !divisor->is_none()) {
      window.divisor = divisor->get<std::int64_t>();
    }
    return window;
  }

 private:
  /// One number for all axes, one for each, or none: aten knows all three.
  static std::vector<std::int64_t> per_axis(const CallSpec& spec, const char* name) {
    const Value& value = spec.param(name);
    if (const auto* one = value.get_if<std::int64_t>()) {
      return {*one};
    }
    return value.is_none() ? std::vector<std::int64_t>() : integers(value);
  }
};

void avg_pool1d(KernelCall& call, const Window& w) {
  call.set_output(0, at::avg_pool1d(call.input(0), w.size, w.stride, w.padding, w.ceil, w.count_padding).contiguous());
}

void avg_pool2d(KernelCall& call, const Window& w) {
  call.set_output(
      0, at::avg_pool2d(call.input(0), w.size, w.stride, w.padding, w.ceil, w.count_padding, w.divisor).contiguous());
}

/// aten has it for float and double alone.
void avg_pool3d(KernelCall& call, const Window& w) {
  const at::Tensor& input = call.input(0);
  const at::Tensor wide = input.to(at::toOpMathType(input.scalar_type()));
  const at::Tensor output = at::avg_pool3d(wide, w.size, w.stride, w.padding, w.ceil, w.count_padding, w.divisor);
  call.set_output(0, output.to(input.scalar_type()).contiguous());
}

using WithIndices = std::tuple<at::Tensor, at::Tensor> (*)(const at::Tensor&, at::IntArrayRef, at::IntArrayRef,
                                                           at::IntArrayRef, at::IntArrayRef, bool);

/// `outputs`: 1 the maxima, 2 also where they lie.
template <WithIndices kPool, int kOutputs>
void max_pool(KernelCall& call, const Window& w) {
  auto [maxima, indices] = kPool(call.input(0), w.size, w.stride, w.padding, w.dilation, w.ceil);
  call.set_output(0, maxima.contiguous());
  if constexpr (kOutputs == 2) {
    call.set_output(1, indices.contiguous());
  }
}

}  // namespace

std::vector<Implementation> pool_aten() {
  return {
      aten_operator("AvgPool1dFwdOp", 4, avg_pool1d),
      aten_operator("AvgPool2dFwdOp", 4, avg_pool2d),
      aten_operator("AvgPool3dFwdOp", 4, avg_pool3d),
      aten_operator("MaxPool1dFwdOp", 4, max_pool<at::max_pool1d_with_indices, 1>),
      aten_operator("MaxPool1dIndicesFwdOp", 4, max_pool<at::max_pool1d_with_indices, 2>),
      aten_operator("MaxPool2dFwdOp", 4, max_pool<at::max_pool2d_with_indices, 1>),
      aten_operator("MaxPool2dIndicesFwdOp", 4, max_pool<at::max_pool2d_with_indices, 2>),
      aten_operator("MaxPool3dFwdOp", 4, max_pool<at::max_pool3d_with_indices, 1>),
      aten_operator("MaxPool3dIndicesFwdOp", 4, max_pool<at::max_pool3d_with_indices, 2>),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
