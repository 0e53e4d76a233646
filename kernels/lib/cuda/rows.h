// The host's view of rows for a CUDA kernel: where they begin, how far apart they lie, whether packs of 16 bytes fit.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace opyard::cuda {

constexpr std::int64_t kPackBytes = 16;

inline bool aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % kPackBytes == 0; }

/// The element type in device code.
inline const char* type_name(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::BFloat16:
      return "opyard::bfloat16";
    case c10::ScalarType::Half:
      return "opyard::float16";
    default:
      return "float";
  }
}

/// What a row's width allows: whole packs, or single elements.
struct RowLayout {
  bool packed;
  std::int64_t packs;

  static RowLayout of(std::int64_t columns, c10::ScalarType dtype) {
    const std::int64_t size = kPackBytes / static_cast<std::int64_t>(c10::elementSize(dtype));
    return {columns % size == 0, columns / size};
  }
  static RowLayout odd(std::int64_t columns) { return {false, columns}; }
};

/// A tensor as rows of `columns` elements at equal distances: in place where it lies so, else a contiguous copy.
class Rows {
 public:
  Rows(const at::Tensor& tensor, std::int64_t columns)
      : tensor_(in_place(tensor, columns) ? tensor : tensor.contiguous()),
        rows_(columns == 0 ? 0 : tensor.numel() / columns),
        stride_(tensor_.is_contiguous() ? columns : tensor_.stride(0)) {}

  const void* data() const { return tensor_.const_data_ptr(); }
  std::int64_t rows() const { return rows_; }
  std::int64_t stride() const { return stride_; }  // in elements
  bool packs_aligned() const {
    return aligned(data()) && stride_ * static_cast<std::int64_t>(tensor_.element_size()) % kPackBytes == 0;
  }

 private:
  static bool in_place(const at::Tensor& tensor, std::int64_t columns) {
    return tensor.is_contiguous() || (tensor.dim() == 2 && tensor.size(1) == columns && tensor.stride(1) == 1);
  }

  at::Tensor tensor_;
  std::int64_t rows_, stride_;
};

}  // namespace opyard::cuda
