// A matrix operand that may be stored transposed: sizes and strides as the product sees them.
#pragma once

#include <ATen/core/Tensor.h>
#include <opyard/kernel.h>

namespace opyard::kernels::OPYARD_ISA {

struct Matrix {
  std::int64_t rows, cols;
  std::int64_t row_stride, col_stride;

  /// Whether each row is one contiguous run.
  bool rows_contiguous() const { return col_stride == 1 || cols <= 1; }
  Matrix transposed() const { return {cols, rows, col_stride, row_stride}; }
};

/// The matrix in the last two dims of `tensor`, transposed if so.
inline Matrix matrix(const at::Tensor& tensor, bool transposed) {
  const std::int64_t dim = tensor.dim();
  const Matrix stored = {tensor.size(dim - 2), tensor.size(dim - 1), tensor.stride(dim - 2), tensor.stride(dim - 1)};
  return transposed ? stored.transposed() : stored;
}

inline Matrix matrix(const TensorFacts& facts, bool transposed) {
  const std::size_t dim = facts.sizes.size();
  const std::int64_t rows = facts.sizes[dim - 2], cols = facts.sizes[dim - 1];
  Matrix stored = {rows, cols, cols, 1};
  if (!facts.contiguous) {
    stored.row_stride = facts.strides[dim - 2];
    stored.col_stride = facts.strides[dim - 1];
  }
  return transposed ? stored.transposed() : stored;
}

}  // namespace opyard::kernels::OPYARD_ISA
