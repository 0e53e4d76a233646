#include <boundary/batch_axis.h>
#include <manifest/schema.h>
#include <signature/effects.h>
#include <signature/program.h>

#include <algorithm>

namespace opyard {
namespace {

// A bare name among an output's sizes is code as well, and computes nothing.
bool is_computed_from(const CheckPlan& plan, std::int32_t slot) {
  std::ptrdiff_t bare = 0;
  for (const TensorPlan& output : plan.outputs)
    for (const ShapeElement& element : output.elements) bare += element.slot == slot && element.node >= 0 ? 1 : 0;
  const auto names_it = [&](const CodeNode& node) { return node.op == Expression::Op::kName && node.slot == slot; };
  return std::count_if(plan.code.nodes.begin(), plan.code.nodes.end(), names_it) != bare;
}

/// Nothing where the index stands twice, or between two splices; a place that holds nothing where it does not stand.
std::optional<std::optional<AxisPlace>> place_in(const TensorPlan& tensor, std::int32_t slot) {
  const auto stands = [&](const ShapeElement& element) { return element.slot == slot; };
  const auto& elements = tensor.elements;
  const auto found = std::find_if(elements.begin(), elements.end(), stands);
  if (!tensor.present || found == elements.end()) return std::optional<AxisPlace>();
  if (std::count_if(elements.begin(), elements.end(), stands) != 1) return std::nullopt;
  const auto is_splice = [](const ShapeElement& element) { return element.splice; };
  if (std::none_of(elements.begin(), found, is_splice)) return AxisPlace{false, found - elements.begin()};
  if (!found->splice && std::none_of(found + 1, elements.end(), is_splice))
    return AxisPlace{true, elements.end() - found};
  return std::nullopt;
}

bool read_places(const std::vector<TensorPlan>& tensors, std::size_t count, std::int32_t slot,
                 std::vector<std::optional<AxisPlace>>& places) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = place_in(tensors[i], slot);
    if (!place) return false;
    places.push_back(*place);
  }
  return true;
}

}  // namespace

std::vector<BatchAxis> batch_axes(const Signature& signature, const Construction& construction,
                                  const at::Tensor* const* inputs) {
  const Signature::Program& program = signature.program();
  c10::SmallVector<bool, 16> present;
  for (std::size_t i = 0; i < signature.inputs().size(); ++i) present.push_back(inputs[i] != nullptr);
  for (const at::Tensor& tensor : construction.tensors) present.push_back(tensor.defined());
  const CheckPlan& plan = program.call_plan(point_of(program, construction, present));
  std::vector<BatchAxis> axes;
  for (const Node& name : program.schema->parallel.items) {
    const std::int32_t slot = program.slot(name.text);
    BatchAxis axis{.is_shape = program.index(name.text)->kind == IndexKind::kShape, .inputs = {}, .outputs = {}};
    if (!is_computed_from(plan, slot) && read_places(plan.inputs, signature.inputs().size(), slot, axis.inputs) &&
        read_places(plan.outputs, plan.outputs.size(), slot, axis.outputs))
      axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace opyard
