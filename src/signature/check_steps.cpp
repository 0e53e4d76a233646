// The steps of a plan: lets, bindings and shape checks, in the plan's order.
#include "signature/check_run.h"

namespace opyard {

template <class Int>
void CheckRun<Int>::run_steps() {
  bool exact = false;
  for (const Step& step : plan_.steps) {
    const bool is_check = step.kind == Step::Kind::kCheckAxis || step.kind == Step::Kind::kCheckSplice;
    if (is_check && !exact) {
      check_exact_ranks();
      exact = true;
    }
    run_step(step);
  }
  if (!exact) {
    check_exact_ranks();
  }
}

template <class Int>
void CheckRun<Int>::run_step(const Step& step) {
  switch (step.kind) {
    case Step::Kind::kLet: {
      const Declared& let = program_.lets[step.element];
      machine_.slots[step.slot] = value_at(step.node, "let " + let.what, let.text);
      break;
    }
    case Step::Kind::kSplice: {
      const Declared& shape = program_.inputs[step.input].shape;
      machine_.slots[step.slot] = value_at(step.node, shape.what, shape.text);
      break;
    }
    case Step::Kind::kBindAxis:
      machine_.slots[step.slot] = V::of_int(sizes(step.input)[position(step)]);
      break;
    case Step::Kind::kBindAffine:
      bind_affine(step);
      break;
    case Step::Kind::kBindSplice:
      bind_splice(step);
      break;
    case Step::Kind::kCheckAxis:
      check_axis(step);
      break;
    case Step::Kind::kCheckSplice:
      check_splice(step);
      break;
  }
}

/// The element's axis, its first one for a splice. Throws when the tensor has too few.
template <class Int>
std::int64_t CheckRun<Int>::position(const Step& step) const {
  std::int64_t away = step.place.axes;
  for (const std::int32_t slot : step.place.splices) {
    away += machine_.slots[slot].length;
  }
  const std::int64_t rank = inputs_[step.input]->dim();
  const ShapeElement& element = plan_.inputs[step.input].elements[step.element];
  const std::int64_t own = element.splice ? machine_.slots[element.slot].length : 1;
  const std::int64_t at = step.place.from_right ? rank - away - own : away;
  if (at < 0 || at + own > rank) {
    fail_rank(step.input, "at least " + std::to_string(away + own) + " dimensions");
  }
  return at;
}

template <class Int>
void CheckRun<Int>::bind_affine(const Step& step) {
  const Declared& shape = program_.inputs[step.input].shape;
  const Int size = sizes(step.input)[position(step)];
  const Int at_zero = value_at(step.node, shape.what, shape.text).integer;
  const Int slope = subtract(value_at(step.node_at_one, shape.what, shape.text).integer, at_zero);
  const Int rest = subtract(size, at_zero);
  const std::optional<std::int64_t> offset = plain_value(at_zero);
  const bool never_negative = offset && *offset <= 0;
  if ((!never_negative && !required(int_less_equal(Int(0), rest))) ||
      !required(int_equal(modulo(rest, slope), Int(0)))) {
    fail_.value("input '" + decl(step.input).name + "' has a size that its declaration cannot give",
                {.argument = decl(step.input).name,
                 .expected = "dimension " + std::to_string(position(step)) + " = " + int_text(at_zero) + " + " +
                             int_text(slope) + " * " + program_.slot_names[step.slot] + bound_elsewhere(step.input),
                 .got = int_text(size),
                 .declared_at = fail_.at(decl(step.input).shape)});
  }
  machine_.slots[step.slot] = V::of_int(floor_divide(rest, slope));
}

template <class Int>
void CheckRun<Int>::bind_splice(const Step& step) {
  const TensorPlan& tensor = plan_.inputs[step.input];
  std::int64_t length = inputs_[step.input]->dim();
  std::int64_t first = step.place.axes;
  for (std::size_t k = 0; k < tensor.elements.size(); ++k) {
    if (static_cast<std::int32_t>(k) != step.element) {
      length -= tensor.elements[k].splice ? machine_.slots[tensor.elements[k].slot].length : 1;
    }
  }
  for (const std::int32_t slot : step.place.splices) {
    first += machine_.slots[slot].length;
  }
  if (length < 0) {
    fail_rank(step.input, "at least " + std::to_string(inputs_[step.input]->dim() - length) + " dimensions");
  }
  const auto all = sizes(step.input);
  const std::size_t begin = machine_.pool.size();
  for (std::int64_t i = 0; i < length; ++i) {
    machine_.pool.push_back(V::of_int(all[first + i]));
  }
  machine_.slots[step.slot] = V::of_sequence(begin, length);
}

template <class Int>
void CheckRun<Int>::check_exact_ranks() const {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const TensorPlan& tensor = plan_.inputs[i];
    if (!tensor.present || !tensor.spliced) {
      continue;
    }
    std::int64_t rank = tensor.axes;
    for (const ShapeElement& element : tensor.elements) {
      rank += element.splice ? machine_.slots[element.slot].length : 0;
    }
    if (rank != inputs_[i]->dim()) {
      fail_rank(i, std::to_string(rank) + " dimensions");
    }
  }
}

template <class Int>
void CheckRun<Int>::check_axis(const Step& step) {
  const std::int64_t axis = position(step);
  const Declared& shape = program_.inputs[step.input].shape;
  const V expected = step.node >= 0 ? value_at(step.node, shape.what, shape.text) : machine_.slots[step.slot];
  if (expected.kind != ValKind::kInt || !required(int_equal(sizes(step.input)[axis], expected.integer))) {
    fail_axis(step, axis, expected.integer);
  }
}

template <class Int>
void CheckRun<Int>::check_splice(const Step& step) {
  const std::int64_t first = position(step);
  const V& expected = machine_.slots[step.slot];
  const auto all = sizes(step.input);
  for (std::int32_t i = 0; i < expected.length; ++i) {
    const V& item = machine_.item(expected, i);
    if (item.kind != ValKind::kInt || !required(int_equal(all[first + i], item.integer))) {
      fail_axis(step, first + i, item.integer);
    }
  }
}

template class CheckRun<std::int64_t>;
template class CheckRun<c10::SymInt>;

}  // namespace opyard
