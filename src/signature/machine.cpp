#include "signature/machine.h"

#include <cmath>

#include "signature/integers.h"

namespace opyard {

using Op = Expression::Op;
using Comparison = Expression::Comparison;

namespace {

/// -1, 0 or 1 by exact comparison of an integer and a double; 2 when the double is no number.
int compare_exactly(std::int64_t a, double b) {
  if (std::isnan(b)) {
    return 2;
  }
  if (b >= 9223372036854775808.0) {
    return -1;
  }
  if (b < -9223372036854775808.0) {
    return 1;
  }
  const double floor = std::floor(b);
  const auto whole = static_cast<std::int64_t>(floor);
  if (a != whole) {
    return a < whole ? -1 : 1;
  }
  return floor < b ? -1 : 0;
}

}  // namespace

template <class Int>
Val<Int> Machine<Int>::eval(std::int32_t number) {
  const CodeNode& node = code_.nodes[number];
  switch (node.op) {
    case Op::kInt:
      return V::of_int(Int(node.integer));
    case Op::kFloat:
      return V::of_float(node.number);
    case Op::kBool:
      return V::of_bool(Bool(node.integer != 0));
    case Op::kString:
      return V::of_string(node.slot);
    case Op::kName:
      return slots[node.slot];
    case Op::kTuple:
      return tuple(node);
    case Op::kIndex:
      return index(node);
    case Op::kSlice:
      return slice(node);
    case Op::kComprehension:
      return comprehension(node);
    case Op::kCall:
      return call(node);
    case Op::kNot:
    case Op::kAnd:
    case Op::kOr:
      return logic(node);
    case Op::kCompare:
      return compare(node);
    case Op::kConditional:
      return decide(operand(node, 0)) ? operand(node, 1) : operand(node, 2);
    case Op::kNegate:
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kFloorDivide:
    case Op::kModulo:
      return arithmetic(node);
    default:
      return {};
  }
}

template <class Int>
bool Machine<Int>::decide(const V& value) const {
  if (value.kind != ValKind::kBool) {
    throw EvaluationFailure("a condition is neither true nor false");
  }
  return decided(value.boolean);
}

template <class Int>
Int Machine<Int>::integer(const CodeNode& node, int i, const char* what) {
  V value = operand(node, i);
  if (value.kind != ValKind::kInt) {
    throw EvaluationFailure(std::string(what) + " is no integer");
  }
  return std::move(value.integer);
}

template <class Int>
std::int64_t Machine<Int>::plain(const V& value, const char* what) const {
  const std::optional<std::int64_t> number =
      value.kind == ValKind::kInt ? plain_value(value.integer) : std::optional<std::int64_t>();
  if (!number) {
    throw EvaluationFailure(std::string(what) + " is no plain integer");
  }
  return *number;
}

template <class Int>
Val<Int> Machine<Int>::arithmetic(const CodeNode& node) {
  const V a = operand(node, 0);
  const bool unary = node.op == Op::kNegate;
  const V b = unary ? V::of_int(Int(-1)) : operand(node, 1);
  if (a.kind == ValKind::kInt && b.kind == ValKind::kInt) {
    switch (node.op) {
      case Op::kAdd:
        return V::of_int(add(a.integer, b.integer));
      case Op::kSubtract:
        return V::of_int(subtract(a.integer, b.integer));
      case Op::kFloorDivide:
        return V::of_int(floor_divide(a.integer, b.integer));
      case Op::kModulo:
        return V::of_int(modulo(a.integer, b.integer));
      default:
        return V::of_int(multiply(a.integer, b.integer));
    }
  }
  const auto number = [&](const V& value) {
    if (value.kind == ValKind::kFloat) {
      return value.number;
    }
    return static_cast<double>(plain(value, "an operand"));
  };
  const double x = number(a);
  const double y = number(b);
  const bool divides = node.op == Op::kFloorDivide || node.op == Op::kModulo;
  if (divides && y == 0) {
    throw EvaluationFailure("division by zero");
  }
  switch (node.op) {
    case Op::kAdd:
      return V::of_float(x + y);
    case Op::kSubtract:
      return V::of_float(x - y);
    case Op::kFloorDivide:
      return V::of_float(std::floor(x / y));
    case Op::kModulo: {
      const double rest = std::fmod(x, y);
      return V::of_float(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
    default:
      return V::of_float(x * y);
  }
}

template <class Int>
typename Machine<Int>::Bool Machine<Int>::equal(const V& a, const V& b) const {
  if (a.kind == ValKind::kInt && b.kind == ValKind::kInt) {
    return int_equal(a.integer, b.integer);
  }
  if (a.kind == ValKind::kInt && b.kind == ValKind::kFloat) {
    return compare_exactly(plain(a, "an operand"), b.number) == 0;
  }
  if (a.kind == ValKind::kFloat && b.kind == ValKind::kInt) {
    return compare_exactly(plain(b, "an operand"), a.number) == 0;
  }
  if (a.kind == ValKind::kDtype && b.kind == ValKind::kString) {
    return b.id >= 0 && strings_.dtype(b.id) == a.dtype();
  }
  if (a.kind == ValKind::kString && b.kind == ValKind::kDtype) {
    return equal(b, a);
  }
  if (a.kind != b.kind) {
    return false;
  }
  switch (a.kind) {
    case ValKind::kNone:
      return true;
    case ValKind::kBool:
      return either(both(a.boolean, b.boolean), both(negated(a.boolean), negated(b.boolean)));
    case ValKind::kFloat:
      return a.number == b.number;
    case ValKind::kString:
      return a.id >= 0 && a.id == b.id;
    case ValKind::kDtype:
      return a.id == b.id;
    case ValKind::kSequence:
      break;
    default:
      return false;
  }
  Bool same = a.length == b.length;
  for (std::int32_t i = 0; i < a.length && known(same) != false; ++i) {
    same = both(same, equal(item(a, i), item(b, i)));
  }
  return same;
}

template <class Int>
typename Machine<Int>::Bool Machine<Int>::less(const V& a, const V& b, bool or_equal) const {
  if (a.kind == ValKind::kInt && b.kind == ValKind::kInt) {
    return or_equal ? int_less_equal(a.integer, b.integer) : int_less(a.integer, b.integer);
  }
  if (a.kind == ValKind::kSequence && b.kind == ValKind::kSequence) {
    for (std::int32_t i = 0; i < a.length && i < b.length; ++i) {
      if (!decided(equal(item(a, i), item(b, i)))) {
        return less(item(a, i), item(b, i), or_equal);
      }
    }
    return or_equal ? a.length <= b.length : a.length < b.length;
  }
  const auto is_number = [](const V& value) { return value.kind == ValKind::kInt || value.kind == ValKind::kFloat; };
  if (!is_number(a) || !is_number(b)) {
    throw EvaluationFailure("values without an order are compared");
  }
  int order = 0;
  if (a.kind == ValKind::kInt) {
    order = compare_exactly(plain(a, "an operand"), b.number);
  } else if (b.kind == ValKind::kInt) {
    const int reversed = compare_exactly(plain(b, "an operand"), a.number);
    order = reversed == 2 ? 2 : -reversed;
  } else {
    order = a.number < b.number ? -1 : a.number == b.number ? 0 : a.number > b.number ? 1 : 2;
  }
  return order == -1 || (or_equal && order == 0);
}

template <class Int>
typename Machine<Int>::Bool Machine<Int>::member(const V& value, const V& sequence) const {
  if (sequence.kind != ValKind::kSequence) {
    throw EvaluationFailure("'in' needs a sequence on its right");
  }
  Bool found = false;
  for (std::int32_t i = 0; i < sequence.length && known(found) != true; ++i) {
    found = either(found, equal(value, item(sequence, i)));
  }
  return found;
}

template <class Int>
Val<Int> Machine<Int>::compare(const CodeNode& node) {
  const V a = operand(node, 0);
  const V b = operand(node, 1);
  switch (node.comparison) {
    case Comparison::kEqual:
      return V::of_bool(equal(a, b));
    case Comparison::kNotEqual:
      return V::of_bool(negated(equal(a, b)));
    case Comparison::kLess:
      return V::of_bool(less(a, b, false));
    case Comparison::kLessEqual:
      return V::of_bool(less(a, b, true));
    case Comparison::kGreater:
      return V::of_bool(less(b, a, false));
    case Comparison::kGreaterEqual:
      return V::of_bool(less(b, a, true));
    case Comparison::kIn:
      return V::of_bool(member(a, b));
    case Comparison::kNotIn:
      return V::of_bool(negated(member(a, b)));
  }
  return {};
}

/// `and` and `or` stop at an operand that is known to decide; what only a guard could decide stays symbolic.
template <class Int>
Val<Int> Machine<Int>::logic(const CodeNode& node) {
  const V a = operand(node, 0);
  if (a.kind != ValKind::kBool) {
    throw EvaluationFailure("an operand of not, and, or is neither true nor false");
  }
  if (node.op == Op::kNot) {
    return V::of_bool(negated(a.boolean));
  }
  const bool is_and = node.op == Op::kAnd;
  const std::optional<bool> first = known(a.boolean);
  if (first == !is_and) {
    return a;
  }
  const V b = operand(node, 1);
  if (b.kind != ValKind::kBool) {
    throw EvaluationFailure("an operand of not, and, or is neither true nor false");
  }
  if (first) {
    return b;
  }
  return V::of_bool(is_and ? both(a.boolean, b.boolean) : either(a.boolean, b.boolean));
}

template <class Int>
Val<Int> Machine<Int>::tuple(const CodeNode& node) {
  c10::SmallVector<V, 6> items;
  for (int i = 0; i < node.kid_count; ++i) {
    items.push_back(operand(node, i));
  }
  const std::size_t first = pool.size();
  pool.append(items.begin(), items.end());
  return V::of_sequence(first, items.size());
}

template <class Int>
Val<Int> Machine<Int>::comprehension(const CodeNode& node) {
  const V source = operand(node, 1);
  if (source.kind != ValKind::kSequence) {
    throw EvaluationFailure("a comprehension needs a sequence");
  }
  c10::SmallVector<V, 8> items;
  for (std::int32_t i = 0; i < source.length; ++i) {
    slots[node.slot] = item(source, i);
    items.push_back(operand(node, 0));
  }
  const std::size_t first = pool.size();
  pool.append(items.begin(), items.end());
  return V::of_sequence(first, items.size());
}

template <class Int>
Val<Int> Machine<Int>::index(const CodeNode& node) {
  const V sequence = operand(node, 0);
  const std::int64_t given = plain(operand(node, 1), "an index");
  const std::int64_t at = given < 0 ? given + sequence.length : given;
  if (sequence.kind != ValKind::kSequence || at < 0 || at >= sequence.length) {
    throw EvaluationFailure("index " + std::to_string(given) + " is out of range for " +
                            std::to_string(sequence.length) + " items");
  }
  return item(sequence, at);
}

template <class Int>
Val<Int> Machine<Int>::slice(const CodeNode& node) {
  const V sequence = operand(node, 0);
  if (sequence.kind != ValKind::kSequence) {
    throw EvaluationFailure("a slice needs a sequence");
  }
  const auto part = [&](int i, std::int64_t otherwise) {
    const V value = operand(node, i);
    return value.kind == ValKind::kNone ? otherwise : plain(value, "a slice's bound");
  };
  const std::int64_t step = part(3, 1);
  if (step == 0) {
    throw EvaluationFailure("a slice's step is zero");
  }
  const std::int64_t size = sequence.length;
  const std::int64_t low = step > 0 ? 0 : -1;
  const auto bound = [&](int i, std::int64_t otherwise) {
    const V value = operand(node, i);
    if (value.kind == ValKind::kNone) {
      return otherwise;
    }
    const std::int64_t at = plain(value, "a slice's bound");
    return std::min(std::max(at < 0 ? at + size : at, low), size + low);
  };
  const std::int64_t start = bound(1, step > 0 ? 0 : size - 1);
  const std::int64_t stop = bound(2, step > 0 ? size : -1);
  const std::size_t first = pool.size();
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    const V copy = item(sequence, i);
    pool.push_back(copy);
  }
  return V::of_sequence(first, pool.size() - first);
}

template class Machine<std::int64_t>;
template class Machine<c10::SymInt>;

}  // namespace opyard
