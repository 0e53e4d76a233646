// Construction: parameter values converted and checked, and what they decide solved.
#include <algorithm>

#include "signature/failure.h"
#include "signature/fold.h"
#include "signature/literal.h"
#include "signature/program.h"
#include "signature/slot_value.h"

namespace opyard {
namespace {

// Type and content: `'8' (str)`.
std::string type_and_text(const Value& value) {
  static constexpr const char* kTypes[] = {"None", "bool", "int", "float", "str", "dtype", "device", "sequence"};
  return to_text(value) + " (" + kTypes[value.data.index()] + ")";
}

using V = Val<std::int64_t>;

/// Moves converted values into slots.
class SlotWriter {
 public:
  SlotWriter(const Signature::Program& program, Machine<std::int64_t>& machine)
      : program_(program), machine_(machine) {}

  void write(std::size_t number, const Value& value) {
    const ParamType& type = program_.param_types[number];
    const Sequence* parts = value.get_if<Sequence>();
    if (type.is_adt() && parts != nullptr) {
      write_fields(program_.schema->params[number].name, type.members[0].text, *parts);
      machine_.slots[number].kind = ValKind::kOpaque;
    } else {
      machine_.slots[number] = val_of(value);
    }
  }

 private:
  V val_of(const Value& value) {
    if (const auto* integer = value.get_if<std::int64_t>()) {
      return V::of_int(*integer);
    }
    if (const auto* number = value.get_if<double>()) {
      return V::of_float(*number);
    }
    if (const auto* truth = value.get_if<bool>()) {
      return V::of_bool(*truth);
    }
    if (const auto* text = value.get_if<std::string>()) {
      return V::of_string(program_.strings.find(*text));
    }
    if (const auto* dtype = value.get_if<c10::ScalarType>()) {
      return V::of_dtype(*dtype);
    }
    if (const auto* items = value.get_if<Sequence>()) {
      const std::size_t first = machine_.pool.size();
      machine_.pool.resize(first + items->size());
      for (std::size_t i = 0; i < items->size(); ++i) {
        const V item = val_of((*items)[i]);
        machine_.pool[first + i] = item;
      }
      return V::of_sequence(first, items->size());
    }
    V other;
    other.kind = value.is_none() ? ValKind::kNone : ValKind::kOpaque;
    return other;
  }

  void write_fields(const std::string& param, const std::string& adt_name, const Sequence& parts) {
    for (const AdtDecl& adt : program_.schema->adts) {
      for (const AdtDecl::Constructor& constructor : adt.constructors) {
        if (adt.name != adt_name || parts[0] != Value(constructor.name)) {
          continue;
        }
        for (std::size_t i = 0; i < constructor.fields.size(); ++i) {
          const std::int32_t slot = program_.slot(param + "." + constructor.fields[i].name);
          if (slot >= 0) {
            machine_.slots[slot] = val_of(parts[i + 1]);
          }
        }
      }
    }
  }

  const Signature::Program& program_;
  Machine<std::int64_t>& machine_;
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class Constructor {
 public:
  explicit Constructor(const Signature::Program& program)
      : program_(program), schema_(*program.schema), fail_(program) {}

  Construction run(const std::vector<NamedValue>& given, const NamedTensors& tensors) {
    refuse_unknown(given);
    Construction result;
    result.tensors = tensors_in_order(tensors);
    result.params.reserve(schema_.params.size());
    for (std::size_t i = 0; i < schema_.params.size(); ++i) {
      result.params.push_back(value_of_param(i, given));
    }
    std::uint64_t scale = 1;
    auto solved = std::make_shared<Solved>();
    for (std::size_t i = 0; i < program_.param_discriminants; ++i) {
      const Discriminant& axis = program_.discriminants[i];
      solved->point += scale * axis.choice(result.params[axis.number]);
      scale *= axis.size();
    }
    solve(program_.construction_plan(solved->point), result, *solved);
    result.solved = std::move(solved);
    return result;
  }

 private:
  void refuse_unknown(const std::vector<NamedValue>& given) const {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (program_.param_number.count(given[i].first) == 0) {
        fail_.type("unknown parameter '" + given[i].first + "'", {.argument = given[i].first,
                                                                  .expected = parameter_list(),
                                                                  .got = to_text(given[i].second),
                                                                  .declared_at = fail_.at(schema_.mark)});
      }
      for (std::size_t k = 0; k < i; ++k) {
        if (given[k].first == given[i].first) {
          fail_.type("parameter '" + given[i].first + "' is given twice", {.argument = given[i].first});
        }
      }
    }
  }

  std::string parameter_list() const {
    std::string text;
    for (const ParamDecl& param : schema_.params) {
      text += (text.empty() ? "" : ", ") + param.name + ": " + param.type.text;
    }
    return text.empty() ? "no parameters" : text;
  }

  std::vector<at::Tensor> tensors_in_order(const NamedTensors& given) const {
    std::vector<at::Tensor> result;
    for (const TensorDecl& decl : schema_.construction_tensors) {
      const auto found =
          std::find_if(given.begin(), given.end(), [&](const auto& candidate) { return candidate.first == decl.name; });
      result.push_back(found == given.end() ? at::Tensor() : found->second);
      if (!result.back().defined() && !decl.optional && decl.present_when.empty()) {
        fail_.type("tensor '" + decl.name + "' is missing",
                   {.argument = decl.name, .expected = "a tensor", .got = "None", .declared_at = fail_.at(decl.mark)});
      }
    }
    for (const auto& [name, tensor] : given) {
      if (std::none_of(schema_.construction_tensors.begin(), schema_.construction_tensors.end(),
                       [&, &wanted = name](const TensorDecl& decl) { return decl.name == wanted; })) {
        fail_.type(
            "'" + name + "' is no tensor of the construction",
            {.argument = name, .expected = parameter_list(), .got = "a tensor", .declared_at = fail_.at(schema_.mark)});
      }
    }
    return result;
  }

  Value value_of_param(std::size_t i, const std::vector<NamedValue>& given) const {
    const ParamDecl& param = schema_.params[i];
    if (param.is_tensor) {
      return {};  // in Construction::tensors
    }
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const NamedValue& candidate) { return candidate.first == param.name; });
    if (found == given.end() && !param.default_value) {
      fail_.type(
          "parameter '" + param.name + "' is missing",
          {.argument = param.name, .expected = param.type.text, .got = "nothing", .declared_at = fail_.at(param.type)});
    }
    const Value& value = found == given.end() ? program_.defaults[i] : found->second;
    std::optional<Value> converted = convert(program_.param_types[i], schema_.adts, value);
    if (!converted) {
      fail_.type("parameter '" + param.name + "' has the wrong type", {.argument = param.name,
                                                                       .expected = param.type.text,
                                                                       .got = type_and_text(value),
                                                                       .declared_at = fail_.at(param.type)});
    }
    check_invariant(i, *converted);
    return std::move(*converted);
  }

  /// What an algebraic data type demands of its fields.
  void check_invariant(std::size_t i, const Value& value) const {
    const ParamType& type = program_.param_types[i];
    const Sequence* parts = type.is_adt() ? value.get_if<Sequence>() : nullptr;
    const std::string name = parts != nullptr ? type.members[0].text + "." + (*parts)[0].get<std::string>() : "";
    const auto invariant = program_.invariants.find(name);
    if (invariant == program_.invariants.end()) {
      return;
    }
    const Point nowhere;
    Folder folder(program_, nowhere);
    for (const AdtDecl& adt : schema_.adts) {
      for (const AdtDecl::Constructor& constructor : adt.constructors) {
        for (std::size_t k = 0; adt.name + "." + constructor.name == name && k < constructor.fields.size(); ++k) {
          folder.set_constant(constructor.fields[k].name, literal_of((*parts)[k + 1]));
        }
      }
    }
    if (!folder.decide(invariant->second).value_or(false)) {
      fail_.value("parameter '" + schema_.params[i].name + "' breaks the invariant of " + name,
                  {.argument = schema_.params[i].name,
                   .expected = invariant->second.text.text,
                   .got = to_text(value),
                   .declared_at = "types.yaml:" + std::to_string(invariant->second.text.mark.line)});
    }
  }

  void solve(const ConstructionPlan& plan, Construction& result, Solved& solved) const {
    Machine<std::int64_t> machine(plan.code, program_.strings, plan.slot_count);
    SlotWriter writer(program_, machine);
    for (std::size_t i = 0; i < result.params.size(); ++i) {
      writer.write(i, result.params[i]);
    }
    if (plan.excluded_by >= 0) {
      fail_.rule(plan.excluded_by, values_text(program_, program_.rules[plan.excluded_by].expression, machine));
    }
    for (const Step& step : plan.steps) {
      const Declared& let = program_.lets[step.element];
      try {
        machine.slots[step.slot] = machine.eval(step.node);
      } catch (const EvaluationFailure& failure) {
        fail_.evaluation("let " + let.what, let.text, failure);
      }
      result.indices.emplace_back(let.what, plain_value_of(machine.slots[step.slot], machine, program_.strings));
    }
    for (const RuleCheck& check : plan.rules) {
      const Declared& rule = program_.rules[check.rule];
      bool holds = false;
      try {
        holds = machine.decide(machine.eval(check.node));
      } catch (const EvaluationFailure& failure) {
        fail_.rule_evaluation(check.rule, failure);
      }
      if (!holds) {
        fail_.rule(check.rule, values_text(program_, rule.expression, machine));
      }
    }
    for (const SizeCheck& check : plan.sizes) {
      check_size(check, machine);
    }
    machine.slots.resize(program_.slot_names.size());
    solved.slots.assign(machine.slots.begin(), machine.slots.end());
    solved.pool.assign(machine.pool.begin(), machine.pool.end());
  }

  void check_size(const SizeCheck& check, Machine<std::int64_t>& machine) const {
    V value;
    try {
      value = machine.eval(check.node);
    } catch (const EvaluationFailure& failure) {
      fail_.value(
          "the shape of '" + check.tensor + "' has no value",
          {.argument = check.tensor, .expected = check.shape, .got = failure.what(), .declared_at = check.declared_at});
    }
    const auto bad = [](const V& size) { return size.kind != ValKind::kInt || size.integer < 0; };
    bool negative = value.kind != ValKind::kSequence && bad(value);
    for (std::int32_t i = 0; value.kind == ValKind::kSequence && i < value.length; ++i) {
      negative = negative || bad(machine.item(value, i));
    }
    if (negative) {
      fail_.value("'" + check.tensor + "' would have a negative size",
                  {.argument = check.tensor,
                   .expected = check.shape,
                   .got = val_text(value, machine, program_.strings),
                   .declared_at = check.declared_at});
    }
  }

  const Signature::Program& program_;
  const Schema& schema_;
  Failure fail_;
};

}  // namespace

Construction Signature::construct(const std::vector<NamedValue>& given, const NamedTensors& tensors) const {
  return Constructor(*program_).run(given, tensors);
}

}  // namespace opyard
