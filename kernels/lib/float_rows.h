// The left operand of a product as rows of floats, in place where it is that already.
#pragma once

#include <c10/util/SmallVector.h>
#include <lib/lanes.h>
#include <lib/matrix.h>

namespace opyard::kernels::OPYARD_ISA {

/// Where rows are copied, each is padded with zeros to whole pairs.
class FloatRows {
 public:
  template <class T>
  FloatRows(const T* x, const Matrix& from) : stride_(from.row_stride) {
    if constexpr (std::is_same_v<T, float>) {
      if (from.rows_contiguous() && from.cols % kPair == 0) {
        data_ = x;
        return;
      }
    }
    stride_ = (from.cols + kPair - 1) / kPair * kPair;
    packed_.resize_for_overwrite(from.rows * stride_);
    data_ = packed_.data();
    for (std::int64_t row = 0; row < from.rows; ++row) {
      float* to = packed_.data() + row * stride_;
      copy_row(x + row * from.row_stride, from.col_stride, from.cols, to);
      std::fill(to + from.cols, to + stride_, 0.0f);
    }
  }
  FloatRows(const FloatRows&) = delete;
  FloatRows& operator=(const FloatRows&) = delete;

  const float* row(std::int64_t index) const { return data_ + index * stride_; }
  std::int64_t stride() const { return stride_; }

 private:
  template <class T>
  static void copy_row(const T* from, std::int64_t step, std::int64_t size, float* to) {
    if (step == 1) {
      for_each_pair(size, [&](std::int64_t i, std::int64_t count) { store_pair(to + i, load_pair(from + i, count)); });
    } else {
      for (std::int64_t i = 0; i < size; ++i) {
        to[i] = static_cast<float>(from[i * step]);
      }
    }
  }

  const float* data_ = nullptr;
  std::int64_t stride_;
  c10::SmallVector<float, 2048> packed_;
};

}  // namespace opyard::kernels::OPYARD_ISA
