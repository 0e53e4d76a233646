#include <boundary/call_op.h>
#include <boundary/gradient_node.h>

#include <algorithm>

namespace opyard {
namespace {

using Kind = BackwardSource::Kind;
using torch::autograd::variable_list;

// Nodes are counted by intrusive pointers or by shared ones, as torch's version has it; there deleteNode takes a deep
// graph apart without deep recursion.
template <class Pointer, class... Arguments>
Pointer make_node(Arguments&&... arguments) {
  if constexpr (std::is_same_v<Pointer, std::shared_ptr<torch::autograd::Node>>)
    return Pointer(new GradientNode(std::forward<Arguments>(arguments)...), [](auto* node) { deleteNode(node); });
  else
    return c10::make_intrusive<GradientNode>(std::forward<Arguments>(arguments)...);
}

}  // namespace

GradientNode::GradientNode(Registry& registry, std::shared_ptr<const Signature> signature,
                           std::shared_ptr<const BackwardLink> link, std::shared_ptr<Instance> instance)
    : registry_(registry),
      signature_(std::move(signature)),
      link_(std::move(link)),
      instance_(std::move(instance)),
      saved_(link_->inputs.size()) {}

NodePtr GradientNode::make(Registry& registry, std::shared_ptr<const Signature> signature,
                           std::shared_ptr<const BackwardLink> link, std::shared_ptr<Instance> instance) {
  return make_node<NodePtr>(registry, std::move(signature), std::move(link), std::move(instance));
}

void GradientNode::keep(Kind kind, std::size_t number, const at::Tensor& tensor) {
  for (std::size_t i = 0; i < saved_.size(); ++i)
    if (link_->inputs[i].kind == kind && link_->inputs[i].number == number)
      saved_[i].emplace(tensor, /*is_output=*/kind == Kind::kOutput, kind == Kind::kOutput && tensor.is_view());
}

void GradientNode::release_variables() {
  std::lock_guard guard(mutex_);
  for (auto& saved : saved_)
    if (saved) saved->reset_data();
}

// The tensors that the backward operator is given; undefined where absent. A gradient that nobody asked for is zero.
std::vector<at::Tensor> GradientNode::unpack(const variable_list& gradients) {
  std::lock_guard guard(mutex_);
  std::vector<at::Tensor> tensors(saved_.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (saved_[i]) {
      tensors[i] = saved_[i]->unpack(getptr());
    } else if (link_->inputs[i].kind == Kind::kGradient) {
      const auto& places = link_->gradients;
      const auto place = std::find(places.begin(), places.end(), link_->inputs[i].number) - places.begin();
      const auto& metadata = input_metadata(place);
      if (gradients[place].defined())
        tensors[i] = gradients[place];
      else if (!metadata.was_default_constructed())
        tensors[i] = metadata.zeros_like();
    }
  }
  return tensors;
}

variable_list GradientNode::apply(variable_list&& gradients) {
  variable_list results(num_outputs());
  c10::SmallVector<bool, 8> needed;
  for (std::size_t i = 0; i < results.size(); ++i) needed.push_back(task_should_compute_output(i));
  const auto is_defined = [](const at::Tensor& gradient) { return gradient.defined(); };
  if (std::none_of(gradients.begin(), gradients.end(), is_defined) ||
      std::none_of(needed.begin(), needed.end(), [](bool need) { return need; }))
    return results;

  const std::vector<at::Tensor> tensors = unpack(gradients);
  StackInputs inputs;
  for (const at::Tensor& tensor : tensors) inputs.push_back(tensor.defined() ? &tensor : nullptr);
  const std::string key = link_->spec(registry_, instance_->spec().construction(), needed)->text();
  OpOutputs outputs = call_op(*instance_of(registry_, *link_->backward, key), key, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (const std::size_t input : link_->gives[i]) {
      const auto& places = link_->differentiable;
      const auto place = std::find(places.begin(), places.end(), input) - places.begin();
      if (needed[place]) results[place] = outputs[i];
    }
  return results;
}

}  // namespace opyard
