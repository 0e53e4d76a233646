// The key of a call: every fact of its tensors that the plan depends on, as plain words.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <cstring>

namespace opyard {

/// Read from the tensors of one call. Words: per input one of flags (0: absent), its sizes, and its strides unless it
/// is contiguous.
class CallKey {
 public:
  static constexpr std::size_t kMaxWords = 128;

  /// False when a tensor has no such facts (symbolic or custom sizes) or there are too many: such a call has no plan.
  bool read(const at::Tensor* const* inputs, std::size_t count);

  /// One more fact that the plan depends on, after `read`.
  void add(std::uint64_t word) {
    words_[size_++] = word;
    hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15ULL;
    hash_ ^= hash_ >> 32;
  }

  std::uint64_t hash() const { return hash_; }
  std::size_t size() const { return size_; }
  const std::uint64_t* words() const { return words_; }

 private:
  std::uint64_t hash_ = 0x2545f4914f6cdd1dULL;
  std::size_t size_ = 0;
  std::uint64_t words_[kMaxWords + 1];
};

inline bool CallKey::read(const at::Tensor* const* inputs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (inputs[i] == nullptr) {
      add(0);
      continue;
    }
    const c10::TensorImpl* impl = inputs[i]->unsafeGetTensorImpl();
    const c10::DispatchKeySet keys = impl->key_set();
    if (impl->has_symbolic_sizes_strides()) [[unlikely]]
      return false;
    const c10::IntArrayRef sizes = impl->sizes();
    if (size_ + 1 + 2 * sizes.size() > kMaxWords) [[unlikely]]
      return false;
    const bool opaque = keys.has_any(c10::DispatchKeySet(c10::DispatchKey::MkldnnCPU));
    const bool contiguous = opaque || impl->is_contiguous();
    const c10::Device device = impl->device();
    add(1 | std::uint64_t{opaque} << 1 | std::uint64_t{contiguous} << 2 |
        static_cast<std::uint64_t>(impl->dtype().toScalarType()) << 8 |
        static_cast<std::uint64_t>(device.type()) << 16 |
        static_cast<std::uint64_t>(static_cast<std::uint8_t>(device.index())) << 24 |
        static_cast<std::uint64_t>(sizes.size()) << 32);
    for (const std::int64_t size : sizes) add(static_cast<std::uint64_t>(size));
    if (!contiguous)
      for (const std::int64_t stride : impl->strides()) add(static_cast<std::uint64_t>(stride));
  }
  return true;
}

}  // namespace opyard
