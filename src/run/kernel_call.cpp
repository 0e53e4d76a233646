// Outputs of a run: a new tensor as declared, or a kernel's own, copied where the caller gave a buffer.
#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty.h>
#include <opyard/aten_original.h>
#include <opyard/kernel.h>

namespace opyard {

void KernelCall::make_output(std::size_t i) {
  const TensorFacts& facts = output_facts_[i];
  if (device_.is_cpu()) {
    outputs_[i] = at::detail::empty_cpu(facts.sizes, facts.dtype);
  } else {
    outputs_[i] = at::empty(facts.sizes, at::TensorOptions().dtype(facts.dtype).device(device_));
  }
}

void KernelCall::fill_output(std::size_t i, const at::Tensor& tensor) {
  AtenOriginal original;
  outputs_[i].copy_(tensor);
}

}  // namespace opyard
