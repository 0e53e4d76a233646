// d = a b^T (+ bias) by the oneDNN that torch ships, through the operator that inductor uses for linear layers.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/StringUtil.h>
#include <gemm/limits.h>
#include <lib/dtypes.h>
#include <lib/matrix.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

using Linear = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                          c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);

const c10::TypedOperatorHandle<Linear>& linear_handle() {
  static const auto handle =
      c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Linear>();
  return handle;
}

at::Tensor onednn_linear(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias) {
  static const c10::List<std::optional<at::Scalar>> no_scalars;
  return linear_handle().call(x, weight, bias, "none", no_scalars, "");
}

/// What oneDNN says to a small product in this dtype on this processor; nothing when it computes it.
Refusal probed(c10::ScalarType dtype) {
  try {
    AtenOriginal original;
    onednn_linear(at::ones({8, 32}, dtype), at::ones({32, 32}, dtype), std::nullopt);
    return std::nullopt;
  } catch (const std::exception& error) {  // oneDNN's own exception type is not in torch's headers
    const std::string reason = error.what();
    return c10::str("oneDNN has no product in ", dtype_name(dtype), " here: ", reason.substr(0, reason.find(". ")));
  }
}

Refusal dtype_refusal(c10::ScalarType dtype, int arch) {
  if (dtype == c10::ScalarType::BFloat16 && arch >= 0 && arch < 2) {
    return c10::str("bfloat16 by oneDNN needs AVX-512 (arch 2), arch is ", arch);
  }
  if (dtype == c10::ScalarType::Half) {
    static const Refusal half = probed(c10::ScalarType::Half);
    return half;
  }
  static const Refusal bfloat16 = probed(c10::ScalarType::BFloat16);
  static const Refusal float32 = probed(c10::ScalarType::Float);
  return dtype == c10::ScalarType::BFloat16 ? bfloat16 : float32;
}

Refusal refusal(const CallSpec& spec) {
  if (!at::hasMKLDNN()) {
    return "this torch has no oneDNN";
  }
  for (const char* name : {"a", "b"}) {
    if (spec.input(name).layout != c10::Layout::Strided) {
      return c10::str(name, " is reordered for oneDNN; this implementation takes a strided tensor");
    }
  }
  const Matrix a = matrix(spec.input("a"), spec.param("trans_a").get<bool>());
  const Matrix weight = matrix(spec.input("b"), !spec.param("trans_b").get<bool>());
  if (a.rows <= kSmallM) {
    return c10::str("M is ", a.rows, "; oneDNN serves more than ", kSmallM, " rows");
  }
  if (weight.rows == 0 || weight.cols == 0) {
    return c10::str("N is ", weight.rows, " and K is ", weight.cols, "; oneDNN serves no empty product");
  }
  if (!weight.rows_contiguous() || weight.row_stride < weight.cols) {
    return c10::str("b has stride ", weight.col_stride, " along K and ", weight.row_stride,
                    " along N; oneDNN takes the weight with rows contiguous along K");
  }
  return dtype_refusal(spec.input("a").dtype, spec.arch);
}

void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  AtenOriginal original;
  const at::Tensor a = trans_a ? call.input(0).t() : call.input(0);
  const at::Tensor weight = trans_b ? call.input(1) : call.input(1).t();
  const auto bias = call.has_input(2) ? std::optional<at::Tensor>(call.input(2).contiguous()) : std::nullopt;
  call.set_output(0, onednn_linear(a, weight, bias));
}

}  // namespace

std::vector<Implementation> gemm_onednn() {
  return {{
      .op = "GEMMFwdOp",
      .key = "onednn",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const bool trans_a = spec.param("trans_a").get<bool>();
            const bool trans_b = spec.param("trans_b").get<bool>();
            return Entry{Sequence{trans_a, trans_b},
                         [=] { return make_kernel([=](KernelCall& call) { multiply(call, trans_a, trans_b); }); }};
          },
      .expected_us = 10,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
