// A mask broadcast to [B, H, S_q, S_kv], read by rows.
#pragma once

#include <ATen/core/Tensor.h>
#include <lib/dtypes.h>

#include <limits>

namespace opyard::kernels::OPYARD_ISA {

class MaskView {
 public:
  MaskView() = default;
  explicit MaskView(const at::Tensor& mask)
      : data_(static_cast<const char*>(mask.const_data_ptr())), dtype_(mask.scalar_type()) {
    for (std::int64_t i = 0; i < mask.dim(); ++i) {
      strides_[4 - mask.dim() + i] = mask.size(i) == 1 ? 0 : mask.stride(i);
    }
  }

  explicit operator bool() const { return data_ != nullptr; }

  /// Adds the mask to the scores of keys [first, first + count) of one query of one head; false closes a key.
  void add_to(float* scores, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t first,
              std::int64_t count) const {
    const std::int64_t offset = batch * strides_[0] + head * strides_[1] + query * strides_[2] + first * strides_[3];
    if (dtype_ == at::kBool) {
      const bool* open = reinterpret_cast<const bool*>(data_) + offset;
      for (std::int64_t i = 0; i < count; ++i) {
        scores[i] = open[i * strides_[3]] ? scores[i] : -std::numeric_limits<float>::infinity();
      }
      return;
    }
    with_float_type(dtype_, [&](auto type) {
      const auto* added = reinterpret_cast<const decltype(type)*>(data_) + offset;
      for (std::int64_t i = 0; i < count; ++i) {
        scores[i] += static_cast<float>(added[i * strides_[3]]);
      }
    });
  }

 private:
  const char* data_ = nullptr;
  at::ScalarType dtype_ = at::kBool;
  std::int64_t strides_[4] = {0, 0, 0, 0};
};

}  // namespace opyard::kernels::OPYARD_ISA
