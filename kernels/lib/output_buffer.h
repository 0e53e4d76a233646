// A contiguous place to write output i: the output itself, or, where the caller's buffer is strided, a copy source.
#pragma once

#include <ATen/ops/empty_like.h>
#include <opyard/kernel.h>

namespace opyard::kernels::OPYARD_ISA {

class OutputBuffer {
 public:
  OutputBuffer(KernelCall& call, std::size_t i) : call_(call), index_(i) {
    at::Tensor& output = call.output(i);
    strided_ = !output.is_contiguous();
    tensor_ = strided_ ? at::empty_like(output, output.options(), c10::MemoryFormat::Contiguous) : output;
  }

  const at::Tensor& tensor() const { return tensor_; }

  template <class T>
  T* data() const {
    return static_cast<T*>(tensor_.mutable_data_ptr());
  }

  /// Called once all is written.
  void finish() {
    if (strided_) {
      call_.set_output(index_, tensor_);
    }
  }

 private:
  KernelCall& call_;
  std::size_t index_;
  bool strided_;
  at::Tensor tensor_;
};

}  // namespace opyard::kernels::OPYARD_ISA
