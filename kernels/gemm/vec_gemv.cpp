// d = a w^T (+ bias) for a few rows of a: the weight [N, K] is read once, as fast as memory gives it.
#include <c10/util/StringUtil.h>
#include <gemm/limits.h>
#include <gemm/typed_entry.h>
#include <lib/matrix_vector.h>
#include <lib/output_buffer.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

template <class T>
const T* data(const at::Tensor& tensor) {
  return static_cast<const T*>(tensor.const_data_ptr());
}

template <class T>
void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  const bool biased = call.has_input(2);
  OutputBuffer out(call, 0);
  matrix_vector_products<kSmallM>(data<T>(call.input(0)), data<T>(call.input(1)),
                                  biased ? data<T>(call.input(2)) : nullptr, out.data<T>(),
                                  {.batch = 1,
                                   .x = matrix(call.input(0), trans_a),
                                   .x_step = 0,
                                   .weight = matrix(call.input(1), !trans_b),
                                   .weight_step = 0,
                                   .bias_stride = biased ? call.input(2).stride(0) : 0});
  out.finish();
}

Refusal refusal(const CallSpec& spec) {
  if (spec.input("b").layout != c10::Layout::Strided) {
    return "b is reordered for oneDNN; this implementation takes a strided tensor";
  }
  const Matrix a = matrix(spec.input("a"), spec.param("trans_a").get<bool>());
  const Matrix weight = matrix(spec.input("b"), !spec.param("trans_b").get<bool>());
  if (a.rows > kSmallM) {
    return c10::str("M is ", a.rows, "; the matrix-vector kernel serves up to ", kSmallM, " rows");
  }
  if (!weight.rows_contiguous()) {
    return c10::str("b has stride ", weight.col_stride,
                    " along K; the matrix-vector kernel reads rows contiguous along K");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> gemm_vec_gemv() {
  watch_forks();
  return {{
      .op = "GEMMFwdOp",
      .key = "vec_gemv",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            return typed_entry(spec, [](auto type, KernelCall& call, bool trans_a, bool trans_b) {
              multiply<decltype(type)>(call, trans_a, trans_b);
            });
          },
      .expected_us = 2,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
