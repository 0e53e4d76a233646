// What a kernel gets: the tensors of a call and those of its instance.
#pragma once

#include <call/instance_spec.h>

#include <memory>
#include <vector>

namespace opyard {

/// The call's tensors, followed by those given at construction, which only a few operators have.
class AllInputs {
 public:
  AllInputs(const InstanceSpec& spec, const at::Tensor* const* inputs) : inputs_(inputs) {
    if (!spec.construction().tensors.empty()) [[unlikely]]
      append(spec);
  }
  AllInputs(const AllInputs&) = delete;
  AllInputs& operator=(const AllInputs&) = delete;
  const at::Tensor* const* data() const { return inputs_; }

 private:
  void append(const InstanceSpec& spec) {
    all_ = std::make_unique<std::vector<const at::Tensor*>>(inputs_, inputs_ + spec.signature().inputs().size());
    for (const at::Tensor& tensor : spec.construction().tensors) all_->push_back(tensor.defined() ? &tensor : nullptr);
    inputs_ = all_->data();
  }

  const at::Tensor* const* inputs_;
  std::unique_ptr<std::vector<const at::Tensor*>> all_;
};

}  // namespace opyard
