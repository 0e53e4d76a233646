// Products of a few rows with weights [N, K], for each item of a batch: a weight is read once, as fast as memory gives.
#pragma once

#include <lib/dot_tile.h>
#include <lib/dtypes.h>
#include <lib/float_rows.h>
#include <lib/parallel.h>

namespace opyard::kernels::OPYARD_ISA {

/// What lies where, in elements. `x` and `weight` are one item's; the output is contiguous.
struct MatrixVector {
  std::int64_t batch;
  Matrix x;             // [M, K]
  std::int64_t x_step;  // from one item to the next
  Matrix weight;        // [N, K], rows contiguous
  std::int64_t weight_step;
  std::int64_t bias_stride;
};

namespace matrix_vector {

constexpr std::int64_t kBytesPerThread = 64 * 1024;  // of weight; less is not worth waking a thread

/// Rows [begin, end) of one item's weight, one by one: memory serves one stream a thread faster than several.
template <int M, class T>
void rows_of_item(const FloatRows& x, const T* weight, const MatrixVector& at, const T* bias, T* out,
                  std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    float sums[M][1];
    dot_tile<M, 1>(x.row(0), x.stride(), weight + row * at.weight.row_stride, at.weight.row_stride, at.weight.cols,
                   sums);
    const float added = bias == nullptr ? 0.0f : static_cast<float>(bias[row * at.bias_stride]);
    for (int m = 0; m < M; ++m) {
      out[m * at.weight.rows + row] = static_cast<T>(bias == nullptr ? sums[m][0] : sums[m][0] + added);
    }
  }
}

}  // namespace matrix_vector

/// out[item] = x[item] weight[item]^T (+ bias), for at most MostRows rows of x.
template <int MostRows, class T>
void matrix_vector_products(const T* x, const T* weight, const T* bias, T* out, const MatrixVector& at) {
  const std::int64_t n = at.weight.rows;
  const std::int64_t bytes = std::max<std::int64_t>(at.weight.cols * sizeof(T), 1);
  parallel_ranges(at.batch * n, at::divup(matrix_vector::kBytesPerThread, bytes),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t item = begin / n; item * n < end; ++item) {
                      const FloatRows rows(x + item * at.x_step, at.x);
                      with_count<MostRows>(at.x.rows, [&](auto count) {
                        matrix_vector::rows_of_item<decltype(count)::value>(
                            rows, weight + item * at.weight_step, at, bias, out + item * at.x.rows * n,
                            std::max(begin - item * n, std::int64_t{0}), std::min(end - item * n, n));
                      });
                    }
                  });
}

}  // namespace opyard::kernels::OPYARD_ISA
