// What a kernel sees of a call, and what a kernel is.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

namespace opyard {

/// Shape (in elements), strides (in elements) and dtype of one tensor of a call; absent optionals have present = false.
struct TensorFacts {
  bool present = false;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  c10::Layout layout = c10::Layout::Strided;  // Mkldnn: opaque, without strides
  bool contiguous = true;
  c10::SmallVector<std::int64_t, 5> sizes;
  c10::SmallVector<std::int64_t, 5> strides;  // empty when contiguous
};

/// The tensors of one run, in the order of the signature.
class KernelCall {
 public:
  KernelCall(const at::Tensor* const* inputs, at::Tensor* outputs, const TensorFacts* output_facts,
             c10::Device device = c10::DeviceType::CPU)
      : inputs_(inputs), outputs_(outputs), output_facts_(output_facts), device_(device) {}

  bool has_input(std::size_t i) const { return inputs_[i] != nullptr; }

  /// Input i; only when has_input(i).
  const at::Tensor& input(std::size_t i) const { return *inputs_[i]; }

  /// Output i: the caller's buffer or a new contiguous tensor with the declared shape and dtype, made on first use.
  at::Tensor& output(std::size_t i) {
    if (!outputs_[i].defined()) {
      make_output(i);
    }
    return outputs_[i];
  }

  /// Whether the caller gave a buffer for output i (or the kernel has made it already).
  bool has_output(std::size_t i) const { return outputs_[i].defined(); }

  /// Gives a tensor the kernel made itself; shape, dtype and device are checked afterwards.
  /// A buffer of the caller's stays: it receives the values.
  void set_output(std::size_t i, at::Tensor tensor) {
    if (outputs_[i].defined()) {
      fill_output(i, tensor);
    } else {
      outputs_[i] = std::move(tensor);
    }
  }

 private:
  void make_output(std::size_t i);
  void fill_output(std::size_t i, const at::Tensor& tensor);

  const at::Tensor* const* inputs_;
  at::Tensor* outputs_;
  const TensorFacts* output_facts_;
  c10::Device device_;
};

/// A built callable: immutable, called from any number of threads at once.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void forward(KernelCall& call) const = 0;
};

}  // namespace opyard
