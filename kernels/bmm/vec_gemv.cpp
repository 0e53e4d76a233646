// d = a b for each item of a batch where a has a few rows: each b, stored as [N, K], is read once.
#include <c10/util/StringUtil.h>
#include <lib/matrix_vector.h>
#include <lib/output_buffer.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr int kMostRows = 2;

template <class T>
void multiply(KernelCall& call) {
  const at::Tensor &a = call.input(0), &b = call.input(1);
  OutputBuffer out(call, 0);
  matrix_vector_products<kMostRows>(static_cast<const T*>(a.const_data_ptr()),
                                    static_cast<const T*>(b.const_data_ptr()), static_cast<const T*>(nullptr),
                                    out.data<T>(),
                                    {.batch = a.size(0),
                                     .x = matrix(a, false),
                                     .x_step = a.stride(0),
                                     .weight = matrix(b, true),
                                     .weight_step = b.stride(0),
                                     .bias_stride = 0});
  out.finish();
}

Refusal refusal(const CallSpec& spec) {
  const Matrix a = matrix(spec.input("a"), false);
  const Matrix b = matrix(spec.input("b"), true);
  if (a.rows > kMostRows) {
    return c10::str("M is ", a.rows, "; the matrix-vector kernel serves up to ", kMostRows, " rows");
  }
  if (!b.rows_contiguous()) {
    return c10::str("b has stride ", b.col_stride, " along K; the matrix-vector kernel reads b contiguous along K");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> bmm_vec_gemv() {
  watch_forks();
  return {{
      .op = "BMMFwdOp",
      .key = "vec_gemv",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten", "widened"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const c10::ScalarType dtype = spec.input("a").dtype;
            return Entry{Value(dtype), [dtype] {
                           return with_float_type(dtype, [](auto type) {
                             return make_kernel([](KernelCall& call) { multiply<decltype(type)>(call); });
                           });
                         }};
          },
      .expected_us = 2,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
