// oneDNN's product of rows with a weight [N, K], through the operator that inductor uses for linear layers.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/StringUtil.h>
#include <lib/dtypes.h>
#include <lib/matrix.h>
#include <opyard/aten_original.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {

using OneDnnLinear = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                                std::string_view, c10::List<std::optional<at::Scalar>>,
                                std::optional<std::string_view>);

inline const c10::TypedOperatorHandle<OneDnnLinear>& onednn_linear_handle() {
  static const auto handle =
      c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<OneDnnLinear>();
  return handle;
}

inline at::Tensor onednn_linear(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias) {
  static const c10::List<std::optional<at::Scalar>> no_scalars;
  return onednn_linear_handle().call(x, weight, bias, "none", no_scalars, "");
}

/// What oneDNN says to a small product in this dtype on this processor; nothing when it computes it.
inline Refusal onednn_probed(c10::ScalarType dtype) {
  try {
    AtenOriginal original;
    onednn_linear(at::ones({8, 32}, dtype), at::ones({32, 32}, dtype), std::nullopt);
    return std::nullopt;
  } catch (const std::exception& error) {  // oneDNN's own exception type is not in torch's headers
    const std::string reason = error.what();
    return c10::str("oneDNN has no product in ", dtype_name(dtype), " here: ", reason.substr(0, reason.find(". ")));
  }
}

/// Which dtypes oneDNN computes on this processor.
inline Refusal onednn_dtype_refusal(c10::ScalarType dtype, int arch) {
  if (!at::hasMKLDNN()) {
    return "this torch has no oneDNN";
  }
  if (dtype == c10::ScalarType::BFloat16 && arch >= 0 && arch < 2) {
    return c10::str("bfloat16 by oneDNN needs AVX-512 (arch 2), arch is ", arch);
  }
  if (dtype == c10::ScalarType::Half) {
    static const Refusal half = onednn_probed(c10::ScalarType::Half);
    return half;
  }
  static const Refusal bfloat16 = onednn_probed(c10::ScalarType::BFloat16);
  static const Refusal float32 = onednn_probed(c10::ScalarType::Float);
  return dtype == c10::ScalarType::BFloat16 ? bfloat16 : float32;
}

/// Runs it on a call's bias, and gives the result as the call's output.
inline void onednn_multiply(KernelCall& call, const at::Tensor& a, const at::Tensor& weight) {
  const auto bias = call.has_input(2) ? std::optional<at::Tensor>(call.input(2).contiguous()) : std::nullopt;
  call.set_output(0, onednn_linear(a, weight, bias));
}

}  // namespace opyard::kernels::OPYARD_ISA
