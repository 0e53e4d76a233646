// d = a b^T (+ bias) by oneDNN with a weight that was reordered once, as mkldnn::_reorder_linear_weight gives it.
#include <gemm/onednn_linear.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

Refusal refusal(const CallSpec& spec) {
  if (spec.input("b").layout != c10::Layout::Mkldnn) {
    return "b is a strided tensor; this implementation takes a weight reordered for oneDNN";
  }
  if (spec.input("a").layout != c10::Layout::Strided) {
    return "a is reordered for oneDNN; only the weight may be";
  }
  if (!spec.param("trans_b").get<bool>()) {
    return "trans_b is false; a reordered weight is [N, K]";
  }
  if (matrix(spec.input("a"), spec.param("trans_a").get<bool>()).rows == 0) {
    return "M is 0; oneDNN serves no empty product";
  }
  return onednn_dtype_refusal(spec.input("a").dtype, spec.arch);
}

}  // namespace

std::vector<Implementation> gemm_onednn_reordered() {
  return {{
      .op = "GEMMFwdOp",
      .key = "onednn_reordered",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .opaque_inputs = true,
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const bool trans_a = spec.param("trans_a").get<bool>();
            return Entry{Value(trans_a), [=] {
                           return make_kernel([=](KernelCall& call) {
                             AtenOriginal original;
                             const at::Tensor a = trans_a ? call.input(0).t() : call.input(0);
                             onednn_multiply(call, a, call.input(1));
                           });
                         }};
          },
      .expected_us = 10,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
