// The rows of a strided tensor: its last dims as one contiguous run, at an offset for each index of the others.
#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>
#include <opyard/kernel.h>

#include <cstdint>

namespace opyard::kernels::OPYARD_ISA {

/// Whether the last `inner` dims lie in memory as in a contiguous tensor.
inline bool inner_contiguous(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::size_t inner) {
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i > sizes.size() - inner; --i) {
    if (sizes[i - 1] != 1 && strides[i - 1] != expected) {
      return false;
    }
    expected *= sizes[i - 1];
  }
  return true;
}

inline bool inner_contiguous(const TensorFacts& facts, std::size_t inner) {
  return facts.contiguous || inner_contiguous(facts.sizes, facts.strides, inner);
}

class Rows {
 public:
  /// All dims but the last `inner`.
  Rows(c10::IntArrayRef sizes, c10::IntArrayRef strides, std::size_t inner) {
    for (std::size_t i = 0; i < sizes.size() - inner; ++i) {
      count_ *= sizes[i];
      if (!sizes_.empty() && strides_.back() == strides[i] * sizes[i]) {
        sizes_.back() *= sizes[i];
        strides_.back() = strides[i];
      } else if (sizes[i] != 1) {
        sizes_.push_back(sizes[i]);
        strides_.push_back(strides[i]);
      }
    }
  }

  std::int64_t count() const { return count_; }

  /// Where row `index` (in row-major order) begins, in elements.
  std::int64_t offset(std::int64_t index) const {
    std::int64_t offset = 0;
    for (std::size_t i = sizes_.size(); i > 1; --i) {
      offset += index % sizes_[i - 1] * strides_[i - 1];
      index /= sizes_[i - 1];
    }
    return sizes_.empty() ? 0 : offset + index * strides_[0];
  }

 private:
  std::int64_t count_ = 1;
  c10::SmallVector<std::int64_t, 4> sizes_, strides_;
};

}  // namespace opyard::kernels::OPYARD_ISA
