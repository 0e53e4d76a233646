// Resolves names once, then walks the tree over boxed arguments.
#include <c10/core/ScalarType.h>
#include <opyard/error.h>
#include <opyard/value.h>
#include <override/argument_expression.h>
#include <override/condition.h>
#include <override/raise.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace opyard {
namespace {

using Op = Expression::Op;
using Comparison = Expression::Comparison;

constexpr int kDtypeArgument = 1;  // in Expression::number: the argument's integer is a dtype

// A value of the walk. Sequences are read in place.
struct Item {
  enum class Kind { kNone, kBool, kInt, kFloat, kString, kDtype, kInts, kTensor, kOther };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double number = 0;
  const std::string* text = nullptr;
  const at::Tensor* tensor = nullptr;
  c10::SmallVector<std::int64_t, 6> ints;

  bool is_number() const { return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat; }
  double as_double() const { return kind == Kind::kFloat ? number : static_cast<double>(integer); }
};

Item of_int(std::int64_t value, Item::Kind kind = Item::Kind::kInt) {
  Item item;
  item.kind = kind;
  item.integer = value;
  return item;
}

Item of_ints(c10::IntArrayRef values) {
  Item item;
  item.kind = Item::Kind::kInts;
  item.ints.append(values.begin(), values.end());
  return item;
}

[[noreturn]] void fail(const std::string& why) { throw std::runtime_error(why); }

Item of_argument(const c10::IValue& value, bool is_dtype) {
  Item item;
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return item;
    item.kind = Item::Kind::kTensor;
    item.tensor = &value.toTensor();
  } else if (value.isBool()) {
    item = of_int(value.toBool() ? 1 : 0, Item::Kind::kBool);
  } else if (value.isInt()) {
    item = of_int(value.toInt(), is_dtype ? Item::Kind::kDtype : Item::Kind::kInt);
  } else if (value.isDouble()) {
    item.kind = Item::Kind::kFloat;
    item.number = value.toDouble();
  } else if (value.isString()) {
    item.kind = Item::Kind::kString;
    item.text = &value.toStringRef();
  } else if (value.isSymInt()) {
    item = of_int(value.toSymInt().guard_int(__FILE__, __LINE__));
  } else if (value.isIntList()) {
    item = of_ints(value.toDimVector());
  } else if (!value.isNone()) {
    item.kind = Item::Kind::kOther;
  }
  return item;
}

bool truth(const Item& item) {
  if (item.kind == Item::Kind::kBool || item.kind == Item::Kind::kInt) return item.integer != 0;
  fail("an operand that is neither true nor false");
}

bool equal(const Item& a, const Item& b) {
  if (a.is_number() && b.is_number()) {
    const bool integers = a.kind != Item::Kind::kFloat && b.kind != Item::Kind::kFloat;
    return integers ? a.integer == b.integer : a.as_double() == b.as_double();
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Item::Kind::kNone:
      return true;
    case Item::Kind::kDtype:
      return a.integer == b.integer;
    case Item::Kind::kString:
      return *a.text == *b.text;
    case Item::Kind::kInts:
      return c10::IntArrayRef(a.ints) == c10::IntArrayRef(b.ints);
    default:
      fail("a comparison of values that have no order");
  }
}

class Walk {
 public:
  explicit Walk(c10::ArrayRef<c10::IValue> arguments) : arguments_(arguments) {}

  Item eval(const Expression& e) const {
    switch (e.op) {
      case Op::kNone:
        return {};
      case Op::kBool:
        return of_int(e.integer, Item::Kind::kBool);
      case Op::kInt:
        return of_int(e.integer, e.text.empty() ? Item::Kind::kInt : Item::Kind::kDtype);
      case Op::kFloat: {
        Item item;
        item.kind = Item::Kind::kFloat;
        item.number = e.number;
        return item;
      }
      case Op::kString: {
        Item item;
        item.kind = Item::Kind::kString;
        item.text = &e.text;
        return item;
      }
      case Op::kName:
        return of_argument(arguments_[static_cast<std::size_t>(e.integer)], e.number == kDtypeArgument);
      case Op::kAttribute:
        return attribute(tensor(e.kids[0]), e.text);
      case Op::kIndex:
        return index(eval(e.kids[0]), eval(e.kids[1]));
      case Op::kCall:
        return call(e);
      case Op::kNot:
        return of_int(truth(eval(e.kids[0])) ? 0 : 1, Item::Kind::kBool);
      case Op::kAnd:
        return of_int(truth(eval(e.kids[0])) && truth(eval(e.kids[1])) ? 1 : 0, Item::Kind::kBool);
      case Op::kOr:
        return of_int(truth(eval(e.kids[0])) || truth(eval(e.kids[1])) ? 1 : 0, Item::Kind::kBool);
      case Op::kConditional:
        return eval(e.kids[truth(eval(e.kids[0])) ? 1 : 2]);
      case Op::kCompare:
        return compare(e);
      case Op::kTuple:
        return tuple(e);
      default:
        return arithmetic(e);
    }
  }

 private:
  const at::Tensor& tensor(const Expression& e) const {
    const Item item = eval(e);
    if (item.kind != Item::Kind::kTensor) fail("a value that is no tensor, or an absent one, where a tensor stands");
    return *item.tensor;
  }

  static Item attribute(const at::Tensor& tensor, const std::string& name) {
    if (name == "dtype") return of_int(static_cast<std::int64_t>(tensor.scalar_type()), Item::Kind::kDtype);
    if (name == "ndim") return of_int(tensor.dim());
    return of_ints(tensor.sizes());
  }

  static Item index(const Item& sequence, const Item& at) {
    if (sequence.kind != Item::Kind::kInts || at.kind != Item::Kind::kInt)
      fail("an index of something else than sizes");
    const auto size = static_cast<std::int64_t>(sequence.ints.size());
    const std::int64_t i = at.integer < 0 ? at.integer + size : at.integer;
    if (i < 0 || i >= size) fail("index " + std::to_string(at.integer) + " of " + std::to_string(size) + " sizes");
    return of_int(sequence.ints[static_cast<std::size_t>(i)]);
  }

  Item call(const Expression& e) const {
    if (e.text == "present") return of_int(eval(e.kids[0]).kind != Item::Kind::kNone ? 1 : 0, Item::Kind::kBool);
    if (e.text == "len") {
      const Item item = eval(e.kids[0]);
      if (item.kind != Item::Kind::kInts) fail("the length of something else than sizes");
      return of_int(static_cast<std::int64_t>(item.ints.size()));
    }
    const at::Tensor& of = tensor(e.kids[0]);
    if (e.text == "numel") return of_int(of.numel());
    if (e.text == "capability") return of_int(capability_of(of.device()));
    return of_int(of.is_contiguous() ? 1 : 0, Item::Kind::kBool);
  }

  Item tuple(const Expression& e) const {
    Item result = of_ints({});
    for (const Expression& kid : e.kids) {
      const Item item = eval(kid);
      if (item.kind != Item::Kind::kInt) fail("a tuple of other values than integers, outside `in`");
      result.ints.push_back(item.integer);
    }
    return result;
  }

  bool contains(const Expression& sequence, const Item& wanted) const {
    if (sequence.is(Op::kTuple)) {
      for (const Expression& kid : sequence.kids) {
        if (equal(wanted, eval(kid))) return true;
      }
      return false;
    }
    const Item items = eval(sequence);
    if (items.kind != Item::Kind::kInts) fail("`in` something else than a tuple or sizes");
    for (const std::int64_t value : items.ints) {
      if (equal(wanted, of_int(value))) return true;
    }
    return false;
  }

  Item compare(const Expression& e) const {
    for (std::size_t i = 0; i < e.comparisons.size(); ++i) {
      if (!compare_pair(e.comparisons[i], e.kids[i], e.kids[i + 1])) return of_int(0, Item::Kind::kBool);
    }
    return of_int(1, Item::Kind::kBool);
  }

  bool compare_pair(Comparison comparison, const Expression& left, const Expression& right) const {
    const Item a = eval(left);
    if (comparison == Comparison::kIn) return contains(right, a);
    if (comparison == Comparison::kNotIn) return !contains(right, a);
    const Item b = eval(right);
    if (comparison == Comparison::kEqual) return equal(a, b);
    if (comparison == Comparison::kNotEqual) return !equal(a, b);
    if (!a.is_number() || !b.is_number()) fail("a comparison of values that have no order");
    const double x = a.as_double(), y = b.as_double();
    switch (comparison) {
      case Comparison::kLess:
        return x < y;
      case Comparison::kLessEqual:
        return x <= y;
      case Comparison::kGreater:
        return x > y;
      default:
        return x >= y;
    }
  }

  Item arithmetic(const Expression& e) const {
    const Item a = eval(e.kids[0]);
    const Item b = e.is(Op::kNegate) ? of_int(0) : eval(e.kids[1]);
    if (!a.is_number() || !b.is_number()) fail("arithmetic of something else than numbers");
    if (a.kind == Item::Kind::kFloat || b.kind == Item::Kind::kFloat) {
      return of_float(e.op, a.as_double(), b.as_double());
    }
    return of_int(integer(e.op, a.integer, b.integer));
  }

  static std::int64_t integer(Op op, std::int64_t a, std::int64_t b) {
    if (op == Op::kNegate) return -a;
    if (op == Op::kAdd) return a + b;
    if (op == Op::kSubtract) return a - b;
    if (op == Op::kMultiply) return a * b;
    if (b == 0) fail("a division by zero");
    const std::int64_t remainder = a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b;
    return op == Op::kModulo ? remainder : (a - remainder) / b;
  }

  static Item of_float(Op op, double a, double b) {
    Item item;
    item.kind = Item::Kind::kFloat;
    const bool divides = op == Op::kFloorDivide || op == Op::kModulo;
    if (divides && b == 0) fail("a division by zero");
    item.number = op == Op::kNegate     ? -a
                  : op == Op::kAdd      ? a + b
                  : op == Op::kSubtract ? a - b
                  : op == Op::kMultiply ? a * b
                  : op == Op::kModulo   ? a - std::floor(a / b) * b
                                        : std::floor(a / b);
    return item;
  }

  c10::ArrayRef<c10::IValue> arguments_;
};

bool is_dtype(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.real_type();
  const bool optional = type->kind() == c10::TypeKind::OptionalType;
  return (optional ? type->castRaw<c10::OptionalType>()->getElementType() : type)->kind() ==
         c10::TypeKind::ScalarTypeType;
}

ContractError expression_error(const std::string& op, const std::string& text, std::string expected, std::string got) {
  return ContractError(SignatureError::Kind::kValue, "a condition does not fit its operator",
                       {.op = op,
                        .argument = "the condition `" + text + "`",
                        .expected = std::move(expected),
                        .got = std::move(got),
                        .advice = "name arguments as the operator's schema does"});
}

}  // namespace

ArgumentExpression::ArgumentExpression(std::string text, const c10::FunctionSchema& schema)
    : text_(std::move(text)), op_(toString(schema.operator_name())) {
  root_ = parse_expression({text_, {1, 1}}, {"a condition", op_, "when"});
  resolve(root_, schema);
}

void ArgumentExpression::resolve(Expression& e, const c10::FunctionSchema& schema) const {
  if (e.is(Op::kName)) {
    if (const std::optional<int> index = schema.argumentIndexWithName(e.text)) {
      e.integer = *index;
      e.number = is_dtype(schema.arguments()[static_cast<std::size_t>(*index)]) ? kDtypeArgument : 0;
    } else if (const c10::ScalarType dtype = dtype_by_name(e.text); dtype != c10::ScalarType::Undefined) {
      e.op = Op::kInt;
      e.integer = static_cast<std::int64_t>(dtype);
    } else {
      throw expression_error(op_, text_, "an argument of the operator, or a dtype", "'" + e.text + "'");
    }
  }
  const bool attribute = e.text == "dtype" || e.text == "ndim" || e.text == "shape";
  if (e.is(Op::kAttribute) && !attribute) {
    throw expression_error(op_, text_, "dtype, ndim or shape of a tensor", "." + e.text);
  }
  static constexpr const char* kFunctions[] = {"present", "len", "numel", "contiguous", "capability"};
  const bool function = std::find(std::begin(kFunctions), std::end(kFunctions), e.text) != std::end(kFunctions);
  if (e.is(Op::kCall) && (!function || e.kids.size() != 1 || !e.keywords.empty())) {
    throw expression_error(op_, text_, "present(x), len(x), numel(x), contiguous(x) or capability(x)", e.text + "(…)");
  }
  if (e.is(Op::kSlice) || e.is(Op::kComprehension) || e.is(Op::kStar) || e.is(Op::kShape) || e.is(Op::kFamily)) {
    throw expression_error(op_, text_, "no slice and no comprehension", "one");
  }
  for (Expression& kid : e.kids) {
    resolve(kid, schema);
  }
}

bool ArgumentExpression::holds(c10::ArrayRef<c10::IValue> arguments) const {
  try {
    return truth(Walk(arguments).eval(root_));
  } catch (const std::runtime_error& error) {
    raise(ContractError(SignatureError::Kind::kValue, "the condition of an override raised",
                        {.op = op_,
                         .argument = "the condition `" + text_ + "`",
                         .expected = "true or false",
                         .got = error.what(),
                         .advice = "test what the value needs first, with `and`"}));
  }
}

}  // namespace opyard
