#include "signature/check_run.h"

#include <type_traits>

#include "signature/default_device.h"
#include "signature/index_words.h"
#include "signature/slot_value.h"

namespace opyard {
namespace {

template <class Int>
Val<Int> converted(const Val<std::int64_t>& value) {
  if constexpr (std::is_same_v<Int, std::int64_t>) {
    return value;
  } else {
    Val<Int> result;
    result.kind = value.kind;
    result.id = value.id;
    result.length = value.length;
    result.integer = Int(value.integer);
    result.number = value.number;
    result.boolean = value.boolean;
    return result;
  }
}

std::string allowed_dtypes(std::uint64_t dtypes) {
  std::string text;
  for (int i = 0; i < 64; ++i) {
    if ((dtypes >> i & 1) != 0) {
      text += (text.empty() ? "" : ", ") + to_text(Value(static_cast<c10::ScalarType>(i)));
    }
  }
  return text;
}

}  // namespace

template <class Int>
CheckRun<Int>::CheckRun(const Signature::Program& program, const CheckPlan& plan, const Construction& construction,
                        const at::Tensor* const* inputs)
    : program_(program),
      plan_(plan),
      construction_(construction),
      inputs_(inputs),
      machine_(plan.code, program.strings, plan.slot_count),
      fail_(program) {
  const Solved& solved = *construction.solved;
  for (std::size_t i = 0; i < solved.slots.size(); ++i) {
    machine_.slots[i] = converted<Int>(solved.slots[i]);
  }
  for (const Val<std::int64_t>& item : solved.pool) {
    machine_.pool.push_back(converted<Int>(item));
  }
}

template <class Int>
SolvedCall<Int> CheckRun<Int>::run() {
  check_presence();
  if (plan_.excluded_by >= 0) {
    fail_.rule(plan_.excluded_by, values_text(program_, program_.rules[plan_.excluded_by].expression, machine_));
  }
  SolvedCall<Int> call;
  call.device = check_devices();
  check_dtypes();
  if (plan_.compare_combos) {
    check_combos();
  }
  check_ranks();
  run_steps();
  check_rules();
  call.outputs.resize(plan_.outputs.size());
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    solve_output(i, call.outputs[i]);
  }
  if constexpr (std::is_same_v<Int, std::int64_t>) {
    const std::size_t first = program_.param_types.size();  // indices and lets follow the parameters
    for (std::size_t i = 0; i < program_.indices.size() + program_.lets.size(); ++i) {
      append_words(call.index_words, machine_.slots[first + i], machine_);
    }
  }
  call.empty_write = is_empty_write(call);
  return call;
}

template <class Int>
void CheckRun<Int>::check_presence() const {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const bool given = inputs_[i] != nullptr;
    if (given == plan_.inputs[i].present) {
      continue;
    }
    const Declared& condition = program_.inputs[i].present_when;
    const std::string why = condition.text.empty() ? "" : " (present exactly when " + condition.text.text + ")";
    const char* const summary = given ? "' must be absent" : "' is missing";
    fail_.type("input '" + decl(i).name + summary, {.argument = decl(i).name,
                                                    .expected = (given ? "None" : "a tensor") + why,
                                                    .got = given ? "a tensor" : "None",
                                                    .declared_at = fail_.at(decl(i).mark)});
  }
}

template <class Int>
c10::Device CheckRun<Int>::check_devices() const {
  c10::Device device(c10::DeviceType::CPU);
  std::size_t first = program_.call_inputs;
  for (std::size_t i = 0; i < program_.call_inputs;
       ++i) {  // tensors of the construction are moved to the call's device
    if (!plan_.inputs[i].present) {
      continue;
    }
    const c10::Device own = inputs_[i]->device();
    if (decl(i).on_cpu) {
      if (!own.is_cpu()) {
        fail_device(i, c10::Device(c10::DeviceType::CPU), i);
      }
    } else if (first == program_.call_inputs) {
      first = i;
      device = own;
    } else if (own != device) {
      fail_device(i, device, first);
    }
  }
  if (first == program_.call_inputs) {
    return default_device(program_, construction_);
  }
  return device;
}

template <class Int>
void CheckRun<Int>::check_dtypes() {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const TensorPlan& tensor = plan_.inputs[i];
    if (!tensor.present) {
      continue;
    }
    if (decl(i).contiguous && !inputs_[i]->is_contiguous()) {
      fail_.value(
          "input '" + decl(i).name + "' is not contiguous",
          {.argument = decl(i).name,
           .expected = "a contiguous tensor",
           .got = "strides " + to_text(Value(Sequence(inputs_[i]->strides().begin(), inputs_[i]->strides().end()))),
           .declared_at = fail_.at(decl(i).mark),
           .advice = "pass " + decl(i).name + ".contiguous()"});
    }
    const c10::ScalarType dtype = inputs_[i]->scalar_type();
    if (tensor.dtypes != 0) {
      if ((tensor.dtypes >> static_cast<int>(dtype) & 1) == 0) {
        fail_dtype(i, allowed_dtypes(tensor.dtypes));
      }
      machine_.slots[tensor.dtype_slot] = V::of_dtype(dtype);
    } else if (tensor.dtype_slot >= 0 && machine_.slots[tensor.dtype_slot].id != static_cast<std::int32_t>(dtype)) {
      fail_dtype(i, val_text(machine_.slots[tensor.dtype_slot], machine_, program_.strings) + ", as " +
                        program_.slot_names[tensor.dtype_slot] + " is");
    }
  }
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const TensorPlan& tensor = plan_.inputs[i];
    if (tensor.present && tensor.dtype_node >= 0) {
      const Declared& declared = program_.inputs[i].dtype;
      const V expected = value_at(tensor.dtype_node, declared.what, declared.text);
      if (!decided(machine_.equal(V::of_dtype(inputs_[i]->scalar_type()), expected))) {
        fail_dtype(i, val_text(expected, machine_, program_.strings));
      }
    }
  }
}

template <class Int>
void CheckRun<Int>::check_combos() const {
  const Schema& schema = *program_.schema;
  for (const DtypeCombo& combo : schema.dtype_combos) {
    bool same = true;
    for (const auto& [name, dtype] : combo) {
      const std::int32_t slot = program_.slot(name);
      same = same && slot >= 0 && machine_.slots[slot].dtype() == dtype_by_name(dtype);
    }
    if (same) {
      return;
    }
  }
  std::string expected;
  for (const DtypeCombo& combo : schema.dtype_combos) {
    expected += expected.empty() ? "" : "; ";
    for (const auto& [name, dtype] : combo) {
      expected += (&name == &combo[0].first ? "" : ", ") + name + " = " + dtype;
    }
  }
  std::string got;
  for (const auto& [name, dtype] : schema.dtype_combos[0]) {
    got += (got.empty() ? "" : ", ") + name + " = " +
           val_text(machine_.slots[program_.slot(name)], machine_, program_.strings);
  }
  fail_.type(
      "this combination of dtypes is not served",
      {.argument = "dtypes", .expected = expected, .got = got, .declared_at = fail_.at(schema.dtype_combos_mark)});
}

template <class Int>
void CheckRun<Int>::check_ranks() const {
  for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
    const TensorPlan& tensor = plan_.inputs[i];
    if (!tensor.present) {
      continue;
    }
    const std::int64_t rank = inputs_[i]->dim();
    if (tensor.spliced ? rank < tensor.axes : rank != tensor.axes) {
      fail_rank(i, (tensor.spliced ? "at least " : "") + std::to_string(tensor.axes) + " dimensions");
    }
  }
}

template <class Int>
Val<Int> CheckRun<Int>::value_at(std::int32_t node, const std::string& what, const Text& text) {
  try {
    return machine_.eval(node);
  } catch (const EvaluationFailure& failure) {
    fail_.evaluation(what, text, failure);
  }
}

template <class Int>
void CheckRun<Int>::check_rules() {
  for (const RuleCheck& check : plan_.rules) {
    const Declared& rule = program_.rules[check.rule];
    V truth;
    try {
      truth = machine_.eval(check.node);
    } catch (const EvaluationFailure& failure) {
      fail_.rule_evaluation(check.rule, failure);
    }
    if (truth.kind != ValKind::kBool || !required(truth.boolean)) {
      fail_.rule(check.rule, values_text(program_, rule.expression, machine_));
    }
  }
}

template <class Int>
void CheckRun<Int>::solve_output(std::size_t i, SolvedOutput<Int>& output) {
  const TensorPlan& plan = plan_.outputs[i];
  const TensorProgram& declared = program_.outputs[i];
  output.present = plan.present;
  if (!plan.present) {
    return;
  }
  const auto add_size = [&](const V& size, bool dim) {
    if (size.kind != ValKind::kInt || (!dim && !required(int_less_equal(Int(0), size.integer)))) {
      fail_.value(
          "output '" + declared.decl->name + "' would have a negative size",
          {.argument = declared.decl->name,
           .expected = declared.shape.text.text,
           .got = int_text(size.integer) + ", with " + values_text(program_, declared.shape.expression, machine_),
           .declared_at = fail_.at(declared.shape.text)});
    }
    output.sizes.push_back(size.integer);
  };
  for (const ShapeElement& element : plan.elements) {
    const V value = value_at(element.node, declared.shape.what, declared.shape.text);
    if (!element.splice) {
      add_size(value, element.dim);
      continue;
    }
    for (std::int32_t k = 0; k < value.length; ++k) {
      add_size(machine_.item(value, k), element.dim);
    }
  }
  const V dtype = plan.dtype_slot >= 0 ? machine_.slots[plan.dtype_slot]
                                       : value_at(plan.dtype_node, declared.dtype.what, declared.dtype.text);
  output.dtype = dtype.kind == ValKind::kString ? program_.strings.dtype(dtype.id) : dtype.dtype();
}

/// Only what is known to be empty counts: asking about a symbolic size would fix it.
template <class Int>
bool CheckRun<Int>::is_empty_write(const SolvedCall<Int>& call) const {
  const auto is_empty = [](c10::ArrayRef<Int> all) {
    return std::any_of(all.begin(), all.end(), [](const Int& size) { return plain_value(size) == 0; });
  };
  bool writes = false;
  for (std::size_t i = 0; i < plan_.written.size(); ++i) {
    if (plan_.written[i]) {
      writes = true;
      if (!is_empty(sizes(i))) {
        return false;
      }
    }
  }
  for (const SolvedOutput<Int>& output : call.outputs) {
    if (output.present) {
      writes = true;
      if (!is_empty(output.sizes)) {
        return false;
      }
    }
  }
  return writes;
}

template class CheckRun<std::int64_t>;
template class CheckRun<c10::SymInt>;

}  // namespace opyard
