#include <opyard/error.h>
#include <run/result_check.h>

namespace opyard {
namespace {

std::string shape_text(c10::IntArrayRef sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

std::string describe(const at::Tensor& tensor) {
  if (!tensor.defined()) return "nothing";
  return std::string(tensor.is_contiguous() ? "" : "strided ") + dtype_name(tensor.scalar_type()) + " " +
         shape_text(tensor.sizes()) + " on " + tensor.device().str();
}

[[noreturn]] [[gnu::cold]] void fail(const CallPlan& plan, std::size_t i, std::string summary, std::string expected,
                                     std::string got) {
  throw ContractError(SignatureError::Kind::kValue, std::move(summary),
                      {.op = plan.record->spec.op(),
                       .argument = "output " + plan.record->spec.outputs()[i].first,
                       .expected = std::move(expected),
                       .got = std::move(got),
                       .advice = "mend implementation " + std::string(plan.record->implementation)});
}

[[noreturn]] [[gnu::cold]] void fail_facts(const CallPlan& plan, std::size_t i, const at::Tensor& got) {
  const TensorFacts& facts = plan.outputs[i];
  const std::string expected = facts.present ? std::string(dtype_name(facts.dtype)) + " " + shape_text(facts.sizes) +
                                                   " on " + plan.record->spec.device.str()
                                             : "nothing";
  fail(plan, i, "an implementation's result does not fit the declaration", expected, describe(got));
}

bool fits(const CallPlan& plan, const TensorFacts& facts, const at::Tensor& output) {
  if (!output.defined()) return !facts.present;
  const c10::TensorImpl* impl = output.unsafeGetTensorImpl();
  return facts.present && impl->dtype().toScalarType() == facts.dtype &&
         impl->sizes() == c10::IntArrayRef(facts.sizes) && impl->device().type() == plan.record->spec.device.type() &&
         output.is_contiguous();
}

bool is_alias(const CallPlan& plan, std::size_t i, const at::Tensor* const* inputs, const at::Tensor* outputs) {
  for (const auto& [output, input] : plan.aliased) {
    if (static_cast<std::size_t>(output) != i) continue;
    if (!outputs[i].is_same(*inputs[input]))
      fail(plan, i, "an output that is declared to be a written input is another tensor",
           plan.record->spec.inputs()[static_cast<std::size_t>(input)].first, describe(outputs[i]));
    return true;
  }
  return false;
}

}  // namespace

void check_result(const CallPlan& plan, const at::Tensor* const* inputs, const at::Tensor* outputs) {
  const std::size_t input_count = plan.record->spec.inputs().size();
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const at::Tensor& output = outputs[i];
    if (!plan.aliased.empty() && is_alias(plan, i, inputs, outputs)) [[unlikely]]
      continue;
    if (!fits(plan, plan.outputs[i], output)) [[unlikely]]
      fail_facts(plan, i, output);
    if (!output.defined()) continue;
    const auto* storage = output.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
    for (std::size_t j = 0; j < input_count; ++j) {
      if (inputs[j] == nullptr || !inputs[j]->unsafeGetTensorImpl()->has_storage()) continue;
      if (inputs[j]->unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl() == storage) [[unlikely]]
        fail(plan, i, "an implementation's result shares storage with an input", "a new tensor",
             "the storage of " + plan.record->spec.inputs()[j].first);
    }
    for (std::size_t j = 0; j < i; ++j)
      if (outputs[j].defined() && outputs[j].unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl() == storage)
          [[unlikely]]
        fail(plan, i, "an implementation's result shares storage with another one", "a new tensor",
             "the storage of " + plan.record->spec.outputs()[j].first);
  }
}

}  // namespace opyard
