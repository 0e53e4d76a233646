// d = a b^T (+ bias) by the oneDNN that torch ships, with the weight as it is.
#include <gemm/limits.h>
#include <gemm/onednn_linear.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

Refusal refusal(const CallSpec& spec) {
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
  return onednn_dtype_refusal(spec.input("a").dtype, spec.arch);
}

void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  AtenOriginal original;
  const at::Tensor a = trans_a ? call.input(0).t() : call.input(0);
  onednn_multiply(call, a, trans_b ? call.input(1) : call.input(1).t());
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
