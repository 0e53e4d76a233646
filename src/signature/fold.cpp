#include "signature/fold.h"

#include <algorithm>

#include "signature/literal.h"
#include "signature/machine.h"

namespace opyard {

using Op = Expression::Op;

namespace {

constexpr std::size_t kLargestArguments = 2000;  // of a family, in nodes

Expression operation(Op op, std::vector<Expression> kids) {
  Expression result;
  result.op = op;
  result.kids = std::move(kids);
  return result;
}

Expression from_val(const Val<std::int64_t>& value, const Machine<std::int64_t>& machine, const StringTable& strings) {
  switch (value.kind) {
    case ValKind::kBool:
      return constant(Op::kBool, value.boolean ? 1 : 0);
    case ValKind::kInt:
      return constant(Op::kInt, value.integer);
    case ValKind::kFloat:
      return constant(Op::kFloat, 0, "", value.number);
    case ValKind::kString:
      return constant(Op::kString, 0, strings.text(value.id));
    case ValKind::kDtype:
      return constant(Op::kString, 0, to_text(Value(value.dtype())));
    default:
      break;
  }
  Expression result = constant(value.kind == ValKind::kSequence ? Op::kTuple : Op::kNone);
  for (std::int32_t i = 0; i < value.length; ++i) {
    result.kids.push_back(from_val(machine.item(value, i), machine, strings));
  }
  return result;
}

/// The node alone: its kids are made anew by the caller.
Expression without_kids(const Expression& expression) {
  Expression result;
  result.op = expression.op;
  result.offset = expression.offset;
  result.integer = expression.integer;
  result.number = expression.number;
  result.text = expression.text;
  result.comparisons = expression.comparisons;
  result.keywords = expression.keywords;
  result.kids.reserve(expression.kids.size());
  return result;
}

std::size_t node_count(const Expression& expression) {
  std::size_t count = 1;
  for (const Expression& kid : expression.kids) {
    count += node_count(kid);
  }
  return count;
}

Expression substitute(const Expression& expression, const std::map<std::string, Expression>& values) {
  if (expression.is(Op::kName)) {
    const auto found = values.find(expression.text);
    return found == values.end() ? expression : found->second;
  }
  Expression result = without_kids(expression);
  for (const Expression& kid : expression.kids) {
    result.kids.push_back(substitute(kid, values));
  }
  return result;
}

}  // namespace

const Discriminant* Folder::discriminant(const std::string& param, std::uint64_t& choice) const {
  const auto number = program_.param_number.find(param);
  for (std::size_t i = 0; number != program_.param_number.end() && i < program_.param_discriminants; ++i) {
    if (program_.discriminants[i].number == number->second) {
      choice = point_.choices[i];
      return &program_.discriminants[i];
    }
  }
  return nullptr;
}

Expression Folder::fold_name(const Expression& expression) const {
  const auto known = constants_.find(expression.text);
  if (known != constants_.end()) {
    return known->second;
  }
  std::uint64_t choice = 0;
  const Discriminant* axis = discriminant(expression.text, choice);
  if (axis == nullptr) {
    return expression;
  }
  switch (axis->kind) {
    case Discriminant::Kind::kBool:
      return constant(Op::kBool, static_cast<std::int64_t>(choice));
    case Discriminant::Kind::kEnum:
      return constant(Op::kString, 0, axis->choices[choice]);
    case Discriminant::Kind::kPresence:
      return choice == 0 ? constant(Op::kNone) : expression;
    case Discriminant::Kind::kAdt:
      return axis->shapes[choice].constructor.empty() ? constant(Op::kNone) : expression;
    case Discriminant::Kind::kTensor:
      break;
  }
  return expression;
}

const Discriminant::Shape* Folder::adt_shape(const Expression& object) const {
  std::uint64_t choice = 0;
  const Discriminant* axis = object.is(Op::kName) ? discriminant(object.text, choice) : nullptr;
  if (axis == nullptr || axis->kind != Discriminant::Kind::kAdt || axis->shapes[choice].constructor.empty()) {
    return nullptr;
  }
  return &axis->shapes[choice];
}

Expression Folder::fold_attribute(const Expression& expression) const {
  Expression object = fold(expression.kids[0]);
  if (expression.text == "value" && !object.is(Op::kNone)) {
    return object;  // a present Maybe is its payload
  }
  if (const Discriminant::Shape* shape = adt_shape(object)) {
    if (expression.text == "kind") {
      return constant(Op::kString, 0, shape->constructor);
    }
    for (const auto& [name, value] : shape->fields) {
      if (name == expression.text) {
        return literal_of(value);
      }
    }
    const std::string slot = object.text + "." + expression.text;
    if (program_.slot(slot) >= 0) {
      return fold_name(constant(Op::kName, 0, slot));
    }
  }
  Expression kept = expression;
  kept.kids[0] = std::move(object);
  return kept;
}

std::optional<Expression> Folder::fold_present(const Expression& call) const {
  const std::string& name = call.kids[0].text;
  int known = -1;
  if (const auto input = program_.input_number.find(name); input != program_.input_number.end()) {
    known = point_.inputs[input->second];
  } else if (name == "out") {
    known = point_.out;
  } else {
    std::uint64_t choice = 0;
    const Discriminant* axis = discriminant(name, choice);
    known = axis == nullptr                               ? -1
            : axis->kind == Discriminant::Kind::kAdt      ? (axis->shapes[choice].constructor.empty() ? 0 : 1)
            : axis->kind == Discriminant::Kind::kPresence ? (choice == 0 ? 0 : 1)
                                                          : 1;
  }
  return known < 0 ? std::nullopt : std::optional(constant(Op::kBool, known));
}

/// The capacity of a grouped layout is fixed by its constructor and packing, so it becomes plain arithmetic.
std::optional<Expression> Folder::fold_capacity(const Expression& call) const {
  const Expression layout = call.kids.size() == 3 ? fold(call.kids[0]) : Expression();
  const Discriminant::Shape* shape = adt_shape(layout);
  if (shape == nullptr) {
    return std::nullopt;
  }
  const Expression rows = fold(call.kids[1]);
  const Expression groups = fold(call.kids[2]);
  if (shape->constructor == "masked") {
    return fold(operation(Op::kMultiply, {groups, constant(Op::kName, 0, layout.text + ".max_m")}));
  }
  for (const auto& [name, value] : shape->fields) {
    if (name == "packing" && value == Value("aligned")) {
      const Expression alignment = constant(Op::kName, 0, layout.text + ".alignment");
      Expression slack =
          operation(Op::kMultiply, {groups, operation(Op::kSubtract, {alignment, constant(Op::kInt, 1)})});
      Expression tiles = operation(Op::kCall, {operation(Op::kAdd, {rows, std::move(slack)}), alignment});
      tiles.text = "ceil_div";
      return fold(operation(Op::kMultiply, {std::move(tiles), alignment}));
    }
  }
  return rows;
}

/// Drops neutral operands; one that decides cuts what follows it, not what precedes it.
Expression Folder::fold_logic(Expression expression) const {
  Expression left = fold(expression.kids[0]);
  const std::int64_t neutral = expression.is(Op::kAnd) ? 1 : 0;
  if (left.is(Op::kBool)) {
    return left.integer == neutral ? fold(expression.kids[1]) : left;
  }
  Expression right = fold(expression.kids[1]);
  if (right.is(Op::kBool) && right.integer == neutral) {
    return left;
  }
  expression.kids[0] = std::move(left);
  expression.kids[1] = std::move(right);
  return expression;
}

/// A closed expression's value; the expression itself when it has none.
Expression Folder::evaluate(Expression expression) const {
  if (!std::all_of(expression.kids.begin(), expression.kids.end(), is_constant)) {
    return expression;
  }
  Code code;
  CodeBuilder builder(
      code, program_.strings, [](const std::string&) { return -1; }, 0);
  const std::int32_t node = builder.add(expression);
  if (node < 0) {
    return expression;
  }
  try {
    Machine<std::int64_t> machine(code, program_.strings, 0);
    return from_val(machine.eval(node), machine, program_.strings);
  } catch (const EvaluationFailure&) {
    return expression;  // the call that reaches it fails there, with its place
  }
}

Expression Folder::fold(const Expression& expression) const {
  switch (expression.op) {
    case Op::kName:
      return fold_name(expression);
    case Op::kAttribute:
      return fold_attribute(expression);
    case Op::kAnd:
    case Op::kOr:
      return fold_logic(expression);
    case Op::kConditional: {
      Expression test = fold(expression.kids[0]);
      if (test.is(Op::kBool)) {
        return fold(expression.kids[test.integer != 0 ? 1 : 2]);
      }
      return operation(Op::kConditional, {std::move(test), fold(expression.kids[1]), fold(expression.kids[2])});
    }
    case Op::kCall:
      if (expression.text == "present" && expression.kids.size() == 1) {
        return fold_present(expression).value_or(expression);
      }
      if (expression.text == "moe.capacity") {
        return fold_capacity(expression).value_or(expression);
      }
      break;
    default:
      break;
  }
  if (is_constant(expression)) {
    return expression;
  }
  Expression result = without_kids(expression);
  for (const Expression& kid : expression.kids) {
    result.kids.push_back(fold(kid));
  }
  return result.is(Op::kComprehension) || result.is(Op::kFamily) || result.is(Op::kShape) || result.is(Op::kStar)
             ? result
             : evaluate(std::move(result));
}

bool Folder::matches(const Node& pattern, const Expression& matched) const {
  if (pattern.is_string() && pattern.text == "_") {
    return true;
  }
  if (pattern.kind == Node::Kind::kBool) {
    return matched.is(Op::kBool) && matched.integer == pattern.integer;
  }
  if (pattern.is_string()) {
    return matched.is(Op::kString) && matched.text == pattern.text;
  }
  const Discriminant::Shape* shape = pattern.is_map() && pattern.keys.size() == 1 ? adt_shape(matched) : nullptr;
  if (shape == nullptr || pattern.keys[0] != shape->constructor) {
    return false;
  }
  const Node& fields = pattern.items[0];
  for (std::size_t i = 0; i < fields.keys.size(); ++i) {
    const auto field = std::find_if(shape->fields.begin(), shape->fields.end(),
                                    [&](const auto& candidate) { return candidate.first == fields.keys[i]; });
    if (field == shape->fields.end() || !matches(fields.items[i], literal_of(field->second))) {
      return false;
    }
  }
  return true;
}

Expression Folder::fold_family(const Expression& application, const Declared& shape, int depth) const {
  const Place place = place_in(*program_.schema, shape.what);
  const auto found = program_.families.find(application.text);
  if (found == program_.families.end() || depth > 16) {
    fail_manifest(place, shape.text.mark, "no such family, or one that applies itself", "", application.text);
  }
  const FamilyProgram& family = found->second;
  if (family.formals.size() != application.kids.size()) {
    fail_manifest(place, shape.text.mark, "wrong number of arguments for " + family.name,
                  std::to_string(family.formals.size()), std::to_string(application.kids.size()));
  }
  if (node_count(application) > kLargestArguments) {
    fail_manifest(place, shape.text.mark, "families that apply each other grow beyond any shape", "",
                  shape.text.text.substr(0, 80));
  }
  std::map<std::string, Expression> arguments;
  for (std::size_t i = 0; i < family.formals.size(); ++i) {
    arguments.emplace(family.formals[i], application.kids[i]);
  }
  std::vector<Expression> matched;
  for (const Expression& expression : family.match) {
    matched.push_back(fold(substitute(expression, arguments)));
  }
  const FamilyProgram::Case* chosen = nullptr;
  int count = 0;
  for (const FamilyProgram::Case& candidate : family.cases) {
    bool fits = true;
    for (std::size_t i = 0; i < matched.size(); ++i) {
      fits = fits && matches(candidate.when[i], matched[i]);
    }
    chosen = fits ? &candidate : chosen;
    count += fits ? 1 : 0;
  }
  if (count != 1) {
    fail_manifest(place, shape.text.mark, "exactly one case of " + family.name + " must match", "1",
                  std::to_string(count) + " cases match");
  }
  const Expression result = substitute(chosen->is, arguments);
  return result.is(Op::kFamily) ? fold_family(result, shape, depth + 1) : fold(result);
}

Expression Folder::fold_shape(const Declared& shape) const {
  return shape.expression.is(Op::kFamily) ? fold_family(shape.expression, shape, 0) : fold(shape.expression);
}

std::optional<bool> Folder::decide(const Declared& condition) const {
  const Expression truth = fold(condition.expression);
  return truth.is(Op::kBool) ? std::optional(truth.integer != 0) : std::nullopt;
}

}  // namespace opyard
