// The plan of a call: MANIFEST.md section 5, "Plan" and "Execution".
#include <algorithm>

#include "signature/affine.h"
#include "signature/plan_builder.h"

namespace opyard {
namespace {

using Op = Expression::Op;

/// One element of a tensor's shape while the plan is made.
struct Pending {
  const Expression* expression;
  bool length_known = false;  // an axis, or a splice whose sequence is known
  bool done = false;
};

class CheckPlanBuilder : PlanBuilder {
 public:
  CheckPlanBuilder(const Signature::Program& program, std::uint64_t point) : PlanBuilder(program, plan_.code) {
    point_ = decode_point(program, point, true);
    std::uint64_t params = 1;
    for (std::size_t i = 0; i < program.param_discriminants; ++i) {
      params *= program.discriminants[i].size();
    }
    construction_ = &program.construction_plan(point % params);
  }

  CheckPlan build() {
    fold_constants();
    for (std::size_t i = 0; i < lets_.size(); ++i) {
      if (construction_->let_known[i]) {
        known_.insert(program_.lets[i].what);
      }
    }
    plan_.bound_by.assign(program_.slot_names.size(), {-1, -1});
    add_exclusion();
    add_inputs();
    if (plan_.excluded_by < 0) {
      solve();
      add_rules();
      add_outputs();
    }
    plan_.slot_count = builder_.slot_count();
    return std::move(plan_);
  }

 private:
  void add_exclusion() {
    for (std::size_t i = 0; i < program_.rules.size() && plan_.excluded_by < 0; ++i) {
      const Expression folded = folder_.fold(program_.rules[i].expression);
      if (folded.is(Op::kBool) && folded.integer == 0) {
        plan_.excluded_by = static_cast<std::int32_t>(i);
      }
    }
  }

  void add_inputs() {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const TensorProgram& input = program_.inputs[i];
      TensorPlan tensor;
      if (point_.inputs[i] < 0) {
        fail(input.present_when.text, input.shape.what, "whether this tensor is present cannot be decided");
      }
      tensor.present = point_.inputs[i] == 1;
      shapes_.emplace_back();
      plan_.written.push_back(tensor.present && is_written(input));
      if (tensor.present && plan_.excluded_by < 0) {
        shapes_.back() = folder_.fold_shape(input.shape);
        add_elements(tensor, shapes_.back());
        add_dtype(tensor, input, true);
      }
      plan_.inputs.push_back(std::move(tensor));
    }
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      std::vector<Pending> pending;
      for (const Expression& element : shapes_[i].kids) {
        pending.push_back({element.is(Op::kStar) ? &element.kids[0] : &element, !element.is(Op::kStar)});
      }
      pending_.push_back(std::move(pending));
    }
  }

  bool is_written(const TensorProgram& input) {
    if (input.mutated.text.empty()) {
      return false;
    }
    const std::optional<bool> written = folder_.decide(input.mutated);
    if (!written) {
      fail(input.mutated.text, input.mutated.what, "whether this tensor is written cannot be decided");
    }
    return *written;
  }

  void add_elements(TensorPlan& tensor, const Expression& shape) {
    for (const Expression& element : shape.kids) {
      const Expression& inner = element.is(Op::kStar) ? element.kids[0] : element;
      ShapeElement part{.splice = element.is(Op::kStar), .dim = is_dim(inner)};
      if (inner.is(Op::kName) && program_.slot(inner.text) >= 0) {
        part.slot = program_.slot(inner.text);
      }
      tensor.axes += part.splice ? 0 : 1;
      tensor.spliced = tensor.spliced || part.splice;
      tensor.elements.push_back(part);
    }
  }

  void add_dtype(TensorPlan& tensor, const TensorProgram& declared, bool binds) {
    const Expression dtype = folder_.fold(declared.dtype.expression);
    const IndexProgram* index = dtype.is(Op::kName) ? program_.index(dtype.text) : nullptr;
    if (dtype.is(Op::kName) && program_.slot(dtype.text) >= 0) {
      tensor.dtype_slot = program_.slot(dtype.text);
      if (index != nullptr && known_.count(dtype.text) == 0) {
        if (!binds) {
          fail(declared.dtype.text, declared.dtype.what, "no present input has this dtype index");
        }
        tensor.dtypes = index->dtypes;
        known_.insert(dtype.text);
      }
      return;
    }
    if (binds) {  // other expressions are read once all bare indices are bound
      deferred_dtypes_.emplace_back(static_cast<std::int32_t>(plan_.inputs.size()), dtype);
    } else {
      tensor.dtype_node = compile_dtype(dtype, declared);
    }
  }

  std::int32_t compile_dtype(const Expression& dtype, const TensorProgram& declared) {
    if (!known(dtype)) {
      fail(declared.dtype.text, declared.dtype.what, "this dtype cannot be solved",
           "nothing binds " + *unknown_names(dtype).begin());
    }
    return compile(dtype, declared.dtype.text, declared.dtype.what);
  }

  void solve() {
    for (const auto& [input, dtype] : deferred_dtypes_) {
      plan_.inputs[input].dtype_node = compile_dtype(dtype, program_.inputs[input]);
    }
    for (bool changed = true; changed;) {
      changed = add_lets();
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        for (std::size_t k = 0; k < pending_[i].size(); ++k) {
          changed = advance(i, k) || changed;
        }
      }
    }
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      for (const Pending& element : pending_[i]) {
        if (!element.done) {
          const auto names = unknown_names(*element.expression);
          fail(program_.inputs[i].shape.text, program_.inputs[i].shape.what, "this shape cannot be solved",
               names.empty() ? "the place of an axis is not known" : "nothing binds " + *names.begin());
        }
      }
    }
    plan_.steps.insert(plan_.steps.end(), checks_.begin(), checks_.end());
  }

  bool add_lets() {
    bool changed = false;
    for (std::size_t i = 0; i < lets_.size(); ++i) {
      const Declared& let = program_.lets[i];
      if (known_.count(let.what) == 0 && known(lets_[i])) {
        known_.insert(let.what);
        plan_.steps.push_back({.kind = Step::Kind::kLet,
                               .slot = program_.slot(let.what),
                               .node = compile(lets_[i], let.text, "let " + let.what),
                               .element = static_cast<std::int32_t>(i)});
        changed = true;
      }
    }
    return changed;
  }

  bool place_from(std::size_t i, std::size_t begin, std::size_t end, ElementPlace& place) const {
    for (std::size_t k = begin; k < end; ++k) {
      if (!pending_[i][k].length_known) {
        return false;
      }
      if (plan_.inputs[i].elements[k].splice) {
        place.splices.push_back(plan_.inputs[i].elements[k].slot);
      } else {
        ++place.axes;
      }
    }
    return true;
  }

  bool find_place(std::size_t i, std::size_t k, ElementPlace& place) const {
    if (place_from(i, 0, k, place)) {
      return true;
    }
    place = ElementPlace{.from_right = true};
    return place_from(i, k + 1, pending_[i].size(), place);
  }

  Step step_at(Step::Kind kind, std::size_t i, std::size_t k, const ElementPlace& place) const {
    return {.kind = kind,
            .slot = plan_.inputs[i].elements[k].slot,
            .input = static_cast<std::int32_t>(i),
            .element = static_cast<std::int32_t>(k),
            .place = place};
  }

  bool advance(std::size_t i, std::size_t k) {
    Pending& pending = pending_[i][k];
    if (pending.done) {
      return false;
    }
    return plan_.inputs[i].elements[k].splice ? advance_splice(i, k) : advance_axis(i, k);
  }

  bool binds_shape(const Expression& expression) const {
    return expression.is(Op::kName) && program_.index(expression.text) != nullptr;
  }

  bool advance_splice(std::size_t i, std::size_t k) {
    Pending& pending = pending_[i][k];
    ShapeElement& element = plan_.inputs[i].elements[k];
    bool changed = false;
    if (!pending.length_known && known(*pending.expression)) {
      if (element.slot < 0) {
        const TensorProgram& input = program_.inputs[i];
        element.slot = builder_.new_slot();
        element.node = compile(*pending.expression, input.shape.text, input.shape.what);
        Step step = step_at(Step::Kind::kSplice, i, k, {});
        step.node = element.node;
        plan_.steps.push_back(step);
      }
      pending.length_known = true;
      changed = true;
    }
    ElementPlace left;
    ElementPlace right{.from_right = true};
    if (pending.length_known) {
      ElementPlace place;
      if (!find_place(i, k, place)) {
        return changed;
      }
      checks_.push_back(step_at(Step::Kind::kCheckSplice, i, k, place));
    } else if (binds_shape(*pending.expression) && place_from(i, 0, k, left) &&
               place_from(i, k + 1, pending_[i].size(), right)) {
      // A splice's place is kept from the left; its length is what the other elements leave of the rank.
      Step step = step_at(Step::Kind::kBindSplice, i, k, left);
      plan_.steps.push_back(step);
      known_.insert(pending.expression->text);
      plan_.bound_by[element.slot] = {step.input, step.element};
      pending.length_known = true;
    } else {
      return changed;
    }
    pending.done = true;
    return true;
  }

  bool advance_axis(std::size_t i, std::size_t k) {
    Pending& pending = pending_[i][k];
    ShapeElement& element = plan_.inputs[i].elements[k];
    ElementPlace place;
    if (!find_place(i, k, place)) {
      return false;
    }
    const TensorProgram& input = program_.inputs[i];
    const std::set<std::string> unknown = unknown_names(*pending.expression);
    if (unknown.empty()) {
      if (element.slot < 0) {
        element.node = compile(*pending.expression, input.shape.text, input.shape.what);
      }
      Step step = step_at(Step::Kind::kCheckAxis, i, k, place);
      step.node = element.node;
      checks_.push_back(step);
    } else if (unknown.size() == 1 && is_affine(*pending.expression, *unknown.begin()) &&
               program_.index(*unknown.begin()) != nullptr) {
      bind_axis(i, k, place, *unknown.begin());
    } else {
      return false;
    }
    pending.done = true;
    return true;
  }

  void bind_axis(std::size_t i, std::size_t k, const ElementPlace& place, const std::string& name) {
    const Expression& expression = *pending_[i][k].expression;
    const TensorProgram& input = program_.inputs[i];
    const bool bare = expression.is(Op::kName);
    Step step = step_at(bare ? Step::Kind::kBindAxis : Step::Kind::kBindAffine, i, k, place);
    step.slot = program_.slot(name);
    if (!bare) {
      step.node = compile(folder_.fold(with_value(expression, name, 0)), input.shape.text, input.shape.what);
      step.node_at_one = compile(folder_.fold(with_value(expression, name, 1)), input.shape.text, input.shape.what);
    }
    plan_.steps.push_back(step);
    known_.insert(name);
    plan_.bound_by[step.slot] = {step.input, step.element};
  }

  void add_rules() {
    for (std::size_t i = 0; i < program_.rules.size(); ++i) {
      const Declared& rule = program_.rules[i];
      if (construction_->rule_checked[i]) {
        continue;
      }
      const Expression folded = folder_.fold(rule.expression);
      if (folded.is(Op::kBool)) {
        continue;
      }
      if (!known(folded)) {
        fail(rule.text, rule.what, "this rule cannot be decided", "nothing binds " + *unknown_names(folded).begin());
      }
      plan_.rules.push_back({static_cast<std::int32_t>(i), compile(folded, rule.text, rule.what)});
    }
  }

  void add_outputs() {
    for (const TensorProgram& output : program_.outputs) {
      TensorPlan tensor;
      const std::optional<bool> emitted = output.nullable.text.empty() ? true : folder_.decide(output.nullable);
      if (!emitted) {
        fail(output.nullable.text, output.shape.what, "whether this output is returned cannot be decided");
      }
      tensor.present = *emitted;
      if (tensor.present) {
        const Expression shape = folder_.fold_shape(output.shape);
        add_elements(tensor, shape);
        for (std::size_t k = 0; k < shape.kids.size(); ++k) {
          const Expression& element = shape.kids[k];
          const Expression& inner = element.is(Op::kStar) ? element.kids[0] : element;
          if (!known(inner)) {
            fail(output.shape.text, output.shape.what, "this shape cannot be solved",
                 "nothing binds " + *unknown_names(inner).begin());
          }
          tensor.elements[k].node = compile(inner, output.shape.text, output.shape.what);
        }
        add_dtype(tensor, output, false);
      }
      plan_.outputs.push_back(std::move(tensor));
    }
    plan_.compare_combos = !program_.schema->dtype_combos.empty();
  }

  CheckPlan plan_;
  const ConstructionPlan* construction_ = nullptr;
  std::vector<Expression> shapes_;  // folded, of the inputs
  std::vector<std::vector<Pending>> pending_;
  std::vector<std::pair<std::int32_t, Expression>> deferred_dtypes_;
  std::vector<Step> checks_;
};

}  // namespace

CheckPlan build_call_plan(const Signature::Program& program, std::uint64_t point) {
  return CheckPlanBuilder(program, point).build();
}

}  // namespace opyard
