#include "signature/effects.h"

#include <algorithm>

#include "signature/failure.h"
#include "signature/program.h"

namespace opyard {
namespace {

Effects effects_at(const Signature::Program& program, const CheckPlan& plan) {
  Effects effects;
  for (std::size_t i = 0; i < program.call_inputs; ++i) {
    if (plan.written[i]) {
      effects.written.push_back(static_cast<std::int32_t>(i));
    }
  }
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const auto input = program.input_number.find(program.outputs[i].decl->alias);
    const bool is_input = input != program.input_number.end() && plan.written[input->second];
    effects.emitted.push_back(plan.outputs[i].present);
    effects.aliased.push_back(is_input ? input->second : -1);
  }
  return effects;
}

}  // namespace

std::uint64_t point_of(const Signature::Program& program, const Construction& construction,
                       c10::ArrayRef<bool> present) {
  std::uint64_t point = construction.solved->point;
  std::uint64_t scale = 1;
  for (const Discriminant& axis : program.discriminants) {
    if (axis.kind == Discriminant::Kind::kTensor && present[axis.number]) {
      point += scale;
    }
    scale *= axis.size();
  }
  return point;
}

Effects effects_of(const Signature& signature, const Construction& construction, c10::ArrayRef<bool> present) {
  const Signature::Program& program = signature.program();
  c10::SmallVector<bool, 16> all(present.begin(), present.end());
  for (const at::Tensor& tensor : construction.tensors) {
    all.push_back(tensor.defined());
  }
  const CheckPlan& plan = program.call_plan(point_of(program, construction, all));
  if (plan.excluded_by >= 0) {
    Failure(program).rule(plan.excluded_by, "these parameters and the tensors that are present");
  }
  return effects_at(program, plan);
}

Effects effects_of(const Signature& signature, const Construction& construction, const at::Tensor* const* inputs) {
  c10::SmallVector<bool, 16> present;
  for (std::size_t i = 0; i < signature.inputs().size(); ++i) {
    present.push_back(inputs[i] != nullptr);
  }
  return effects_of(signature, construction, present);
}

std::vector<Effects> effect_branches(const Signature& signature) {
  const Signature::Program& program = signature.program();
  if (!has_effects(signature)) {
    const std::size_t outputs = program.outputs.size();
    return {{{}, std::vector<bool>(outputs, true), std::vector<std::int32_t>(outputs, -1)}};
  }
  std::uint64_t points = 1;
  for (const Discriminant& axis : program.discriminants) {
    points *= axis.size();
  }
  std::vector<Effects> branches;
  for (std::uint64_t point = 0; point < points; ++point) {
    const CheckPlan& plan = program.call_plan(point);
    if (plan.excluded_by >= 0) {
      continue;
    }
    Effects effects = effects_at(program, plan);
    if (std::find(branches.begin(), branches.end(), effects) == branches.end()) {
      branches.push_back(std::move(effects));
    }
  }
  return branches;
}

bool has_effects(const Signature& signature) {
  const Signature::Program& program = signature.program();
  const auto written = [](const TensorProgram& input) { return !input.mutated.text.empty(); };
  const auto may_lack = [](const TensorProgram& output) { return !output.nullable.text.empty(); };
  return std::any_of(program.inputs.begin(), program.inputs.end(), written) ||
         std::any_of(program.outputs.begin(), program.outputs.end(), may_lack);
}

}  // namespace opyard
