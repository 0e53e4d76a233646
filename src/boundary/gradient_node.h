// The node that autograd keeps of one call: what the backward operator is given, and whose gradients it gives.
#pragma once

#include <boundary/backward_link.h>
#include <call/instance.h>
#include <torch/csrc/autograd/function.h>

#include <optional>

namespace opyard {

/// As torch of this version holds nodes.
using NodePtr = decltype(torch::autograd::Edge::function);

class GradientNode : public torch::autograd::Node {
 public:
  GradientNode(Registry& registry, std::shared_ptr<const Signature> signature, std::shared_ptr<const BackwardLink> link,
               std::shared_ptr<Instance> instance);

  static NodePtr make(Registry& registry, std::shared_ptr<const Signature> signature,
                      std::shared_ptr<const BackwardLink> link, std::shared_ptr<Instance> instance);

  /// Keeps input `number` of the call, or output `number`, wherever the backward operator is given it.
  void keep(BackwardSource::Kind kind, std::size_t number, const at::Tensor& tensor);

  std::string name() const override { return signature_->op() + "Backward"; }
  void release_variables() override;

 protected:
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override;

 private:
  std::vector<at::Tensor> unpack(const torch::autograd::variable_list& gradients);

  Registry& registry_;
  std::shared_ptr<const Signature> signature_;
  std::shared_ptr<const BackwardLink> link_;
  std::shared_ptr<Instance> instance_;  // of the forward call
  // For each input of the backward operator; guarded by mutex_, since several threads may run one graph.
  std::vector<std::optional<torch::autograd::SavedVariable>> saved_;
};

}  // namespace opyard
