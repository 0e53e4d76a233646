#include "signature/plan_builder.h"

#include <algorithm>

#include "signature/literal.h"

namespace opyard {

PlanBuilder::PlanBuilder(const Signature::Program& program, Code& code)
    : program_(program),
      folder_(program, point_),
      builder_(
          code, program.strings, [&program](const std::string& name) { return program.slot(name); },
          static_cast<std::int32_t>(program.slot_names.size())) {
  for (const auto& [name, number] : program.param_number) {
    if (program.input_number.count(name) == 0) {  // a tensor given at construction is no value
      known_.insert(name);
    }
  }
  for (const auto& [name, slot] : program.slots) {
    if (name.find('.') != std::string::npos) {
      known_.insert(name);  // a field of an ADT parameter
    }
  }
}

void PlanBuilder::fail(const Text& text, const std::string& what, const std::string& message,
                       const std::string& got) const {
  fail_manifest(place_in(*program_.schema, what), text.mark, message + ": " + text.text, "", got);
}

/// A let may decide a tensor's presence and the other way round, so both go on until nothing changes.
void PlanBuilder::fold_constants() {
  bool changed = true;
  while (changed) {
    changed = false;
    lets_.clear();
    for (const Declared& let : program_.lets) {
      Expression folded = folder_.fold(let.expression);
      if (is_constant(folded) &&
          !is_constant(folder_.fold(Expression{.op = Expression::Op::kName, .text = let.what}))) {
        folder_.set_constant(let.what, folded);
        changed = true;
      }
      lets_.push_back(std::move(folded));
    }
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const Declared& condition = program_.inputs[i].present_when;
      if (point_.inputs[i] < 0 && !condition.text.empty()) {
        if (const std::optional<bool> present = folder_.decide(condition)) {
          point_.inputs[i] = *present ? 1 : 0;
          changed = true;
        }
      }
    }
  }
}

std::set<std::string> PlanBuilder::unknown_names(const Expression& expression) const {
  std::set<std::string> names;
  for_each_name(expression, [&](const std::string& name) {
    if (known_.count(name) == 0) {
      names.insert(name);
    }
  });
  return names;
}

bool PlanBuilder::is_dim(const Expression& expression) const {
  using Op = Expression::Op;
  const auto all_kids = [&](std::size_t first) {
    return std::all_of(expression.kids.begin() + first, expression.kids.end(),
                       [&](const Expression& kid) { return is_dim(kid); });
  };
  switch (expression.op) {
    case Op::kInt:
      return expression.integer >= 0;
    case Op::kName: {
      for (std::size_t i = 0; i < lets_.size(); ++i) {
        if (program_.lets[i].what == expression.text) {
          return is_dim(lets_[i]);
        }
      }
      const IndexProgram* index = program_.index(expression.text);
      return index != nullptr && index->kind != IndexKind::kDtype;
    }
    case Op::kAdd:
    case Op::kMultiply:
    case Op::kTuple:
      return all_kids(0);
    case Op::kConditional:
      return all_kids(1);
    case Op::kFloorDivide:
    case Op::kModulo:
      return is_dim(expression.kids[0]) && expression.kids[1].is(Op::kInt) && expression.kids[1].integer > 0;
    case Op::kIndex:
    case Op::kSlice:
      return is_dim(expression.kids[0]);
    case Op::kCall:
      return expression.text == "len" || expression.text == "pool.out" ||
             (expression.text == "reduced" && is_dim(expression.kids[0])) ||
             ((expression.text == "broadcast" || expression.text == "prod" || expression.text == "ceil_div") &&
              all_kids(0));
    default:
      return false;
  }
}

bool PlanBuilder::known(const Expression& expression) const { return unknown_names(expression).empty(); }

std::int32_t PlanBuilder::compile(const Expression& expression, const Text& text, const std::string& what) {
  const std::int32_t node = builder_.add(expression);
  if (node < 0) {
    fail(text, what, "this has no value where it is needed");
  }
  return node;
}

Point decode_point(const Signature::Program& program, std::uint64_t point, bool with_inputs) {
  Point result;
  for (const TensorProgram& input : program.inputs) {
    result.inputs.push_back(input.decl->optional || !input.present_when.text.empty() ? -1 : 1);
  }
  result.out = with_inputs ? 0 : -1;
  for (std::size_t i = 0; i < program.discriminants.size(); ++i) {
    const Discriminant& axis = program.discriminants[i];
    const std::uint64_t choice = point % axis.size();
    point /= axis.size();
    if (axis.kind != Discriminant::Kind::kTensor) {
      result.choices.push_back(choice);
    } else if (with_inputs) {
      result.inputs[axis.number] = static_cast<int>(choice);
    }
  }
  return result;
}

namespace {

class ConstructionPlanBuilder : PlanBuilder {
 public:
  ConstructionPlanBuilder(const Signature::Program& program, std::uint64_t point) : PlanBuilder(program, plan_.code) {
    point_ = decode_point(program, point, false);
  }

  ConstructionPlan build() {
    fold_constants();
    plan_.let_known.resize(program_.lets.size());
    plan_.rule_checked.resize(program_.rules.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < lets_.size(); ++i) {
        changed = add_let(i) || changed;
      }
    }
    for (std::size_t i = 0; i < program_.rules.size(); ++i) {
      add_rule(i);
    }
    for (const TensorProgram& input : program_.inputs) {
      add_sizes(input);
    }
    for (const TensorProgram& output : program_.outputs) {
      add_sizes(output);
    }
    plan_.slot_count = builder_.slot_count();
    return std::move(plan_);
  }

 private:
  /// Families wait for the call: which case matches may depend on the tensors that are present.
  void add_sizes(const TensorProgram& tensor) {
    if (plan_.excluded_by >= 0 || !tensor.shape.expression.is(Expression::Op::kShape)) {
      return;
    }
    for (const Expression& element : folder_.fold_shape(tensor.shape).kids) {
      const Expression& inner = element.is(Expression::Op::kStar) ? element.kids[0] : element;
      if (known(inner) && !is_dim(inner)) {
        plan_.sizes.push_back({compile(inner, tensor.shape.text, tensor.shape.what), tensor.decl->name,
                               tensor.shape.text.text, program_.declared_at(tensor.shape.text)});
      }
    }
  }

  bool add_let(std::size_t i) {
    if (plan_.let_known[i] || !known(lets_[i])) {
      return false;
    }
    const Declared& let = program_.lets[i];
    plan_.let_known[i] = true;
    known_.insert(let.what);
    plan_.steps.push_back({.kind = Step::Kind::kLet,
                           .slot = program_.slot(let.what),
                           .node = compile(lets_[i], let.text, "let " + let.what),
                           .element = static_cast<std::int32_t>(i)});
    return true;
  }

  void add_rule(std::size_t i) {
    const Declared& rule = program_.rules[i];
    const Expression folded = folder_.fold(rule.expression);
    if (folded.is(Expression::Op::kBool)) {
      plan_.rule_checked[i] = true;
      if (folded.integer == 0 && plan_.excluded_by < 0) {
        plan_.excluded_by = static_cast<std::int32_t>(i);
      }
    } else if (known(folded)) {
      plan_.rule_checked[i] = true;
      plan_.rules.push_back({static_cast<std::int32_t>(i), compile(folded, rule.text, rule.what)});
    }
  }

  ConstructionPlan plan_;
};

}  // namespace

ConstructionPlan build_construction_plan(const Signature::Program& program, std::uint64_t point) {
  return ConstructionPlanBuilder(program, point).build();
}

}  // namespace opyard
