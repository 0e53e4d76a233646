// The left operand of a product as panels of a few vectors of its rows, each transposed: [K][rows of the panel].
#pragma once

#include <c10/core/CPUAllocator.h>
#include <lib/matrix.h>
#include <lib/outer_tile.h>
#include <lib/transpose_four.h>

namespace opyard::kernels::OPYARD_ISA {

/// Rows that fill no unit are padded with zeros. Vectors are spread over the panels as evenly as may be.
class Panels {
 public:
  template <class T>
  Panels(const T* x, const Matrix& from)
      : rows_(from.rows),
        cols_(from.cols),
        padded_((from.rows + kUnit - 1) / kUnit * kUnit),
        vectors_((from.rows + kLanes - 1) / kLanes),
        count_((vectors_ + kTileVectors - 1) / kTileVectors),
        storage_(c10::GetCPUAllocator()->allocate(padded_ * from.cols * sizeof(float))) {
    for (std::int64_t panel = 0; panel < count_; ++panel) {
      float* to = static_cast<float*>(storage_.mutable_get()) + first_row(panel) * cols_;
      const std::int64_t first = first_row(panel), width = units(panel) * kUnit;
      for (std::int64_t row = 0; row < width; row += 4) {
        pack(x + (first + row) * from.row_stride, from, rows_ - first - row, to + row, width);
      }
    }
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t count() const { return count_; }
  std::int64_t units(std::int64_t panel) const { return (first_row(panel + 1) - first_row(panel)) / kUnit; }
  std::int64_t first_row(std::int64_t panel) const { return std::min(panel * vectors_ / count_ * kLanes, padded_); }
  std::int64_t last_row(std::int64_t panel) const { return std::min(first_row(panel + 1), rows_); }
  const float* data(std::int64_t panel) const {
    return static_cast<const float*>(storage_.get()) + first_row(panel) * cols_;
  }

 private:
  /// Four rows, zeros past `rows` of them: to[column * width + row].
  template <class T>
  static void pack(const T* x, const Matrix& from, std::int64_t rows, float* to, std::int64_t width) {
    std::int64_t column = 0;
    if (from.rows_contiguous()) {
      for (; column + kPair <= from.cols; column += kPair) {
        float wide[4][kPair];
        for (std::int64_t row = 0; row < 4; ++row) {
          store_pair(wide[row],
                     row < rows ? load_pair(x + row * from.row_stride + column) : Pair{Lanes(0.0f), Lanes(0.0f)});
        }
        transpose_four(wide[0], kPair, kLanes, to + column * width, width);
        transpose_four(wide[0] + kLanes, kPair, kLanes, to + (column + kLanes) * width, width);
      }
    }
    for (; column < from.cols; ++column) {
      for (std::int64_t row = 0; row < 4; ++row) {
        to[column * width + row] =
            row < rows ? static_cast<float>(x[row * from.row_stride + column * from.col_stride]) : 0.0f;
      }
    }
  }

  std::int64_t rows_, cols_, padded_, vectors_, count_;
  c10::DataPtr storage_;
};

}  // namespace opyard::kernels::OPYARD_ISA
