// d = a w^T (+ bias) for a few rows of a: the weight [N, K] is read once, as fast as memory gives it.
#include <c10/util/StringUtil.h>
#include <gemm/limits.h>
#include <gemm/typed_entry.h>
#include <lib/dot_tile.h>
#include <lib/dtypes.h>
#include <lib/float_rows.h>
#include <lib/lanes.h>
#include <lib/matrix.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kBytesPerThread = 64 * 1024;  // of weight; less is not worth waking a thread

struct Weight {
  const void* data;
  Matrix shape;  // [N, K]
  const void* bias;
  std::int64_t bias_stride;
};

/// Rows of the weight are taken one by one: memory serves one stream a thread faster than several.
template <class T, int M>
void multiply_rows(const FloatRows& x, const Weight& weight, T* out) {
  const auto [n, k, stride, one] = weight.shape;
  const T* data = static_cast<const T*>(weight.data);
  const T* bias = static_cast<const T*>(weight.bias);
  const std::int64_t bytes = std::max<std::int64_t>(k * sizeof(T), 1);
  parallel_ranges(n, at::divup(kBytesPerThread, bytes), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      float sums[M][1];
      dot_tile<M, 1>(x.row(0), x.stride(), data + row * stride, stride, k, sums);
      const float added = bias == nullptr ? 0.0f : static_cast<float>(bias[row * weight.bias_stride]);
      for (int m = 0; m < M; ++m) {
        out[m * n + row] = static_cast<T>(bias == nullptr ? sums[m][0] : sums[m][0] + added);
      }
    }
  });
}

template <class T>
void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  const Matrix a = matrix(call.input(0), trans_a);
  const FloatRows x(static_cast<const T*>(call.input(0).const_data_ptr()), a);
  Weight weight = {call.input(1).const_data_ptr(), matrix(call.input(1), !trans_b), nullptr, 0};
  if (call.has_input(2)) {
    weight.bias = call.input(2).const_data_ptr();
    weight.bias_stride = call.input(2).stride(0);
  }
  OutputBuffer out(call, 0);
  with_count<kSmallM>(a.rows, [&](auto rows) { multiply_rows<T, decltype(rows)::value>(x, weight, out.data<T>()); });
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
