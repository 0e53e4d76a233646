#include <ATen/functorch/BatchedTensorImpl.h>
#include <boundary/batch_axis.h>
#include <boundary/batched_call.h>
#include <boundary/boundary.h>
#include <opyard/error.h>

#include <algorithm>

namespace opyard {
namespace {

namespace functorch = at::functorch;

/// The inputs of a call as they are inside this level of vmap.
struct Batch {
  std::vector<at::Tensor> values;  // undefined where absent
  std::vector<std::optional<std::int64_t>> dims;
  std::int64_t level = 0;
  c10::SymInt size = 0;  // of the batch

  bool is_batched(std::size_t i) const { return dims[i].has_value(); }
};

// At the innermost level that batches one of them; what outer levels batch stays wrapped.
Batch unwrap(const StackInputs& inputs) {
  Batch batch;
  for (const at::Tensor* input : inputs)
    if (input != nullptr && functorch::isBatchedTensor(*input))
      batch.level = std::max(batch.level, functorch::maybeGetBatchedImpl(*input)->level());
  for (const at::Tensor* input : inputs) {
    const auto* impl = input == nullptr ? nullptr : functorch::maybeGetBatchedImpl(*input);
    const bool inside = impl != nullptr && impl->level() == batch.level;
    batch.values.push_back(inside ? impl->value() : input == nullptr ? at::Tensor() : *input);
    batch.dims.push_back(inside ? std::optional(impl->bdim()) : std::nullopt);
    if (inside) batch.size = impl->value().sym_size(impl->bdim());
  }
  return batch;
}

/// Every batched input has the index, and so has every output: one call gives all of them.
bool serves(const BatchAxis& axis, const Batch& batch, const std::vector<std::size_t>& returned) {
  for (std::size_t i = 0; i < batch.values.size(); ++i)
    if (batch.is_batched(i) && !axis.inputs[i]) return false;
  return std::all_of(returned.begin(), returned.end(), [&](std::size_t i) { return axis.outputs[i].has_value(); });
}

std::int64_t position(const AxisPlace& place, std::int64_t rank) {
  return place.from_right ? rank - place.distance : place.distance;
}

/// The batch in front of the index: a dim more, or a factor of its size.
at::Tensor folded(const BatchAxis& axis, const AxisPlace& place, const Batch& batch, std::size_t i) {
  at::Tensor value = batch.values[i];
  const std::int64_t rank = value.dim() - (batch.is_batched(i) ? 1 : 0), at = position(place, rank);
  if (batch.is_batched(i)) {
    value = value.movedim(*batch.dims[i], at);
  } else {
    c10::SymDimVector sizes(value.sym_sizes().begin(), value.sym_sizes().end());
    sizes.insert(sizes.begin() + at, batch.size);
    value = value.unsqueeze(at).expand_symint(sizes);
  }
  return axis.is_shape ? value : value.flatten(at, at + 1);
}

at::Tensor unfolded(const BatchAxis& axis, const AxisPlace& place, const Batch& batch, const at::Tensor& output) {
  const std::int64_t rank = output.dim() - (axis.is_shape ? 1 : 0), at = position(place, rank);
  if (axis.is_shape) return functorch::makeBatched(output, at, batch.level);
  const c10::SymDimVector sizes = {batch.size, output.sym_size(at) / batch.size};
  const at::Tensor value = output.unflatten_symint(at, sizes);
  return functorch::makeBatched(value, at, batch.level);
}

torch::jit::Stack call(const c10::OperatorHandle& op, const std::vector<at::Tensor>& inputs, const c10::IValue& key) {
  torch::jit::Stack stack;
  for (const at::Tensor& input : inputs) stack.push_back(input.defined() ? c10::IValue(input) : c10::IValue());
  stack.push_back(key);
  op.callBoxed(&stack);
  return stack;
}

torch::jit::Stack call_along(const c10::OperatorHandle& op, const BatchAxis& axis, const Batch& batch,
                             const std::vector<std::size_t>& returned, const c10::IValue& key) {
  std::vector<at::Tensor> inputs = batch.values;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].defined() && axis.inputs[i]) inputs[i] = folded(axis, *axis.inputs[i], batch, i);
  torch::jit::Stack results = call(op, inputs, key);
  for (std::size_t i = 0; i < returned.size(); ++i)
    results[i] = unfolded(axis, *axis.outputs[returned[i]], batch, results[i].toTensor());
  return results;
}

torch::jit::Stack call_each(const c10::OperatorHandle& op, const Batch& batch, const c10::IValue& key) {
  const std::int64_t size = batch.size.guard_int(__FILE__, __LINE__);
  std::vector<std::vector<at::Tensor>> outputs;
  for (std::int64_t item = 0; item < size; ++item) {
    std::vector<at::Tensor> inputs = batch.values;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (batch.is_batched(i)) inputs[i] = inputs[i].select(*batch.dims[i], item);
    const torch::jit::Stack results = call(op, inputs, key);
    outputs.resize(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) outputs[i].push_back(results[i].toTensor());
  }
  torch::jit::Stack stacked;
  for (const auto& output : outputs) stacked.emplace_back(functorch::makeBatched(at::stack(output), 0, batch.level));
  return stacked;
}

void refuse_unbatched_writes(const Signature& signature, const Effects& effects, const Batch& batch) {
  for (const std::int32_t i : effects.written)
    if (!batch.is_batched(i))
      throw SignatureError(SignatureError::Kind::kValue, "a tensor that vmap does not batch would be written",
                           {.op = signature.op(),
                            .argument = signature.inputs()[i].name,
                            .expected = "a tensor batched by vmap",
                            .got = "one that all items of the batch share",
                            .declared_at = signature.declared_at(),
                            .advice = "batch it too, or call the operator outside of vmap"});
}

}  // namespace

void BatchedCall::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard inside(c10::DispatchKey::FuncTorchBatched);
  const Batch batch = unwrap(stack_inputs(*signature_, *stack));
  const c10::IValue key = stack->back();
  const auto returned = returned_outputs(effects_);
  torch::jit::Stack results;
  if (std::none_of(batch.dims.begin(), batch.dims.end(), [](const auto& dim) { return dim.has_value(); })) {
    results = call(op, batch.values, key);
  } else {
    refuse_unbatched_writes(*signature_, effects_, batch);
    StackInputs values;
    for (const at::Tensor& value : batch.values) values.push_back(value.defined() ? &value : nullptr);
    const auto instance = instance_of(registry_, *signature_, key.toStringRef());
    std::vector<BatchAxis> axes;
    if (effects_.written.empty()) axes = batch_axes(*signature_, instance->spec().construction(), values.data());
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [&](const BatchAxis& candidate) { return serves(candidate, batch, returned); });
    results = axis != axes.end() ? call_along(op, *axis, batch, returned, key) : call_each(op, batch, key);
  }
  torch::jit::drop(*stack, signature_->inputs().size() + 1);
  for (c10::IValue& result : results) stack->push_back(std::move(result));
}

}  // namespace opyard
