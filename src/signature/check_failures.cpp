// The errors of a call check, out of the way of its steps.
#include "signature/check_run.h"
#include "signature/slot_value.h"

namespace opyard {
namespace {

template <class Int>
std::string shape_text(c10::ArrayRef<Int> sizes) {
  std::string text = "[";
  for (const Int& size : sizes) {
    text += (text.size() > 1 ? ", " : "") + int_text(size);
  }
  return text + "]";
}

}  // namespace

template <class Int>
std::string CheckRun<Int>::bound_text(std::int32_t slot) const {
  if (slot < 0 || slot >= static_cast<std::int32_t>(plan_.bound_by.size())) {
    return "";
  }
  const auto [input, element] = plan_.bound_by[slot];
  if (input >= 0) {
    return ", as " + program_.slot_names[slot] + " in '" + decl(input).name + "' of shape " +
           shape_text<Int>(sizes(input));
  }
  return static_cast<std::size_t>(slot) < program_.param_types.size() ? ", as parameter " + program_.slot_names[slot]
                                                                      : "";
}

template <class Int>
std::string CheckRun<Int>::bound_elsewhere(std::int32_t input) const {
  std::string text;
  for_each_name(program_.inputs[input].shape.expression, [&](const std::string& name) {
    const std::int32_t slot = program_.slot(name);
    const bool elsewhere = slot >= 0 && slot < static_cast<std::int32_t>(plan_.bound_by.size()) &&
                           plan_.bound_by[slot].first >= 0 && plan_.bound_by[slot].first != input;
    text += elsewhere ? bound_text(slot) : "";
  });
  return text;
}

template <class Int>
void CheckRun<Int>::fail_axis(const Step& step, std::int64_t axis, const Int& expected) const {
  const TensorDecl& tensor = decl(step.input);
  const ShapeElement& element = plan_.inputs[step.input].elements[step.element];
  const bool named =
      element.node < 0 && element.slot >= 0 && element.slot < static_cast<std::int32_t>(program_.slot_names.size());
  std::string because = named ? bound_text(element.slot) : "";
  if (!named) {
    const std::string values = values_text(program_, program_.inputs[step.input].shape.expression, machine_);
    because = values.empty() ? "" : ", with " + values;
    because += bound_elsewhere(step.input);
  }
  fail_.value(
      "input '" + tensor.name + "' has the wrong size in dimension " + std::to_string(axis),
      {.argument = tensor.name,
       .expected = int_text(expected) + " in dimension " + std::to_string(axis) + " of " + tensor.shape.text + because,
       .got = "shape " + shape_text<Int>(sizes(step.input)),
       .declared_at = fail_.at(tensor.shape)});
}

template <class Int>
void CheckRun<Int>::fail_rank(std::size_t input, const std::string& expected) const {
  const TensorDecl& tensor = decl(input);
  fail_.value("input '" + tensor.name + "' has the wrong rank",
              {.argument = tensor.name,
               .expected = expected + ", shape " + tensor.shape.text,
               .got = std::to_string(inputs_[input]->dim()) + " dimensions, shape " + shape_text<Int>(sizes(input)),
               .declared_at = fail_.at(tensor.shape)});
}

template <class Int>
void CheckRun<Int>::fail_dtype(std::size_t input, const std::string& expected) const {
  const TensorDecl& tensor = decl(input);
  fail_.type("input '" + tensor.name + "' has the wrong dtype", {.argument = tensor.name,
                                                                 .expected = expected,
                                                                 .got = to_text(Value(inputs_[input]->scalar_type())),
                                                                 .declared_at = fail_.at(tensor.dtype)});
}

template <class Int>
void CheckRun<Int>::fail_device(std::size_t input, c10::Device expected, std::size_t first) const {
  const TensorDecl& tensor = decl(input);
  fail_.value("input '" + tensor.name + "' is on the wrong device",
              {.argument = tensor.name,
               .expected = expected.str() + (first == input ? ", as declared" : ", as '" + decl(first).name + "'"),
               .got = inputs_[input]->device().str(),
               .declared_at = fail_.at(tensor.mark),
               .advice = "move it with .to('" + expected.str() + "')"});
}

template class CheckRun<std::int64_t>;
template class CheckRun<c10::SymInt>;

}  // namespace opyard
