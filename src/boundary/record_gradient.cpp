#include <boundary/boundary.h>
#include <boundary/boundary_call.h>
#include <boundary/gradient_node.h>
#include <boundary/record_gradient.h>
#include <call/plain_call.h>
#include <call/run_by.h>
#include <opyard/error.h>
#include <registry/recorded_aten.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>

#include <algorithm>

namespace opyard {
namespace {

using Kind = BackwardSource::Kind;
namespace autograd = torch::autograd;

[[noreturn]] void refuse(const Signature& signature, std::size_t input, const char* summary, const char* advice) {
  throw SignatureError(SignatureError::Kind::kValue, summary,
                       {.op = signature.op(),
                        .argument = signature.inputs()[input].name,
                        .expected = "a tensor that needs no gradient",
                        .got = "requires_grad=True",
                        .declared_at = signature.declared_at(),
                        .advice = advice});
}

// The tensors that need a gradient; each must be one whose gradient is declared.
bool needs_gradient(const Signature& signature, const BackwardLink& link, const StackInputs& inputs) {
  bool any = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || !inputs[i]->requires_grad()) continue;
    if (std::find(link.differentiable.begin(), link.differentiable.end(), i) == link.differentiable.end())
      refuse(signature, i, "a gradient would be recorded, and the declared backward gives none for this input",
             "detach the tensor");
    any = true;
  }
  return any;
}

// What the backward operator requires must be among what a call of these effects returns.
void require_outputs(const Signature& signature, const BackwardLink& link, const Effects& effects) {
  for (std::size_t i = 0; i < link.inputs.size(); ++i) {
    const BackwardSource& from = link.inputs[i];
    if (from.kind != Kind::kOutput || effects.emitted[from.number] || link.backward->inputs()[i].optional) continue;
    throw SignatureError(SignatureError::Kind::kValue,
                         "a gradient would be recorded, and this call returns None where the backward needs a tensor",
                         {.op = signature.op(),
                          .argument = signature.outputs()[from.number].name,
                          .expected = "a call that returns it",
                          .got = "None",
                          .declared_at = signature.declared_at(),
                          .advice = "call it under torch.no_grad(), or with parameters that return it"});
  }
}

void refuse_tangents(const Signature& signature, const StackInputs& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != nullptr && c10::isFloatingType(inputs[i]->scalar_type()) &&
        inputs[i]->_fw_grad(/*level=*/0).defined())
      throw SignatureError(SignatureError::Kind::kValue, "forward-mode derivatives are not supported",
                           {.op = signature.op(),
                            .argument = signature.inputs()[i].name,
                            .expected = "a tensor without a tangent",
                            .got = "a dual tensor",
                            .declared_at = signature.declared_at(),
                            .advice = "use reverse mode: torch.func.vjp, torch.func.jacrev or backward()"});
}

autograd::edge_list edges_of(const BackwardLink& link, const StackInputs& inputs) {
  autograd::edge_list edges;
  for (const std::size_t i : link.differentiable)
    edges.push_back(inputs[i] == nullptr ? autograd::Edge() : autograd::impl::gradient_edge(*inputs[i]));
  return edges;
}

}  // namespace

void RecordGradient::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  bool records = false;
  {
    const StackInputs inputs = stack_inputs(*signature_, *stack);
    refuse_tangents(*signature_, inputs);
    const auto takes_part = [](const at::Tensor* input) { return input != nullptr && input->requires_grad(); };
    if (c10::GradMode::is_enabled() && std::any_of(inputs.begin(), inputs.end(), takes_part) &&
        !records_nothing(*signature_)) {
      if (recorded_by_aten(*signature_)) return record_by_aten(stack);
      std::call_once(read_, [&] { link_ = read_backward(registry_, *signature_); });
      if (link_ == nullptr)
        refuse(*signature_, std::find_if(inputs.begin(), inputs.end(), takes_part) - inputs.begin(),
               "a gradient would be recorded, and the operator declares no backward",
               "call it under torch.no_grad(), or detach the tensor");
      records = needs_gradient(*signature_, *link_, inputs);
      if (records) require_outputs(*signature_, *link_, effects_);
    }
  }
  if (records) return record(op, keys, stack);
  at::AutoDispatchBelowAutograd below;
  op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

// A backward operator's own gradient: its formula is made of aten calls, which autograd knows.
void RecordGradient::record_by_aten(torch::jit::Stack* stack) {
  const auto instance = instance_of(registry_, *signature_, stack->back().toStringRef());
  std::vector<at::Tensor> outputs;
  {
    const StackInputs inputs = stack_inputs(*signature_, *stack);
    if (may_be_traced(inputs.data(), inputs.size()))
      throw SignatureError(SignatureError::Kind::kValue,
                           "a gradient would be recorded of an operator that computes one",
                           {.op = signature_->op(),
                            .expected = "eager tensors, since a graph has no second derivatives",
                            .got = "tensors of a tracer",
                            .declared_at = signature_->declared_at(),
                            .advice = "take second derivatives outside of compiled code"});
    std::vector<at::Tensor> tensors;
    for (const at::Tensor* input : inputs) tensors.push_back(input == nullptr ? at::Tensor() : *input);
    const auto implementations = registry_.implementations(signature_->op());
    const auto general = std::find_if(implementations->begin(), implementations->end(),
                                      [](const auto& entry) { return entry->declared.general; });
    RecordedAten recorded;
    outputs = run_by(*instance, tensors, general == implementations->end() ? "" : (*general)->declared.key);
  }
  torch::jit::drop(*stack, signature_->inputs().size() + 1);
  for (const std::size_t i : returned_outputs(effects_)) stack->emplace_back(std::move(outputs[i]));
}

void RecordGradient::record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const std::size_t count = signature_->inputs().size();
  const std::vector<c10::IValue> arguments(stack->end() - static_cast<std::ptrdiff_t>(count) - 1, stack->end());
  const StackInputs inputs = stack_inputs(*signature_, arguments);
  NodePtr node = GradientNode::make(registry_, signature_, link_,
                                    instance_of(registry_, *signature_, arguments.back().toStringRef()));
  auto& kept = static_cast<GradientNode&>(*node);
  node->set_next_edges(edges_of(*link_, inputs));
  for (std::size_t i = 0; i < count; ++i) {
    if (inputs[i] == nullptr) continue;
    const bool written = std::count(effects_.written.begin(), effects_.written.end(), i) != 0;
    if (written) autograd::check_inplace(*inputs[i], inputs[i]->requires_grad());
    const bool wanted = std::any_of(link_->inputs.begin(), link_->inputs.end(), [&](const BackwardSource& from) {
      return from.kind == Kind::kInput && from.number == i;
    });
    // What the call is about to write is kept as it was.
    if (wanted) kept.keep(Kind::kInput, i, written ? inputs[i]->clone() : *inputs[i]);
  }
  {
    at::AutoDispatchBelowAutograd below;
    op.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
  }
  const auto returned = returned_outputs(effects_);
  const auto output_of = [&](std::size_t output) -> at::Tensor {
    if (effects_.aliased[output] >= 0) return *inputs[effects_.aliased[output]];
    const auto place = std::find(returned.begin(), returned.end(), output);
    if (place == returned.end()) return {};
    return (*stack)[stack->size() - returned.size() + (place - returned.begin())].toTensor();
  };
  for (const std::size_t output : link_->gradients) {
    const at::Tensor tensor = output_of(output);
    if (effects_.aliased[output] >= 0)
      autograd::rebase_history(autograd::variable_list{tensor}, node);
    else
      autograd::set_history(tensor, node);
  }
  for (std::size_t i = 0; i < signature_->outputs().size(); ++i)
    if (const at::Tensor tensor = output_of(i); tensor.defined()) kept.keep(Kind::kOutput, i, tensor);
}

}  // namespace opyard
