#include <override/boxed_literal.h>

#include <algorithm>

namespace opyard {
namespace {

std::optional<c10::IValue> boxed_list(const Node& list) {
  std::vector<std::int64_t> integers;
  for (const Node& item : list.items) {
    if (item.kind != Node::Kind::kInt) {
      return std::nullopt;
    }
    integers.push_back(item.integer);
  }
  return c10::IValue(integers);
}

template <class List>
Value to_sequence(const List& list) {
  Sequence values;
  for (const auto& item : list) {
    values.emplace_back(item);
  }
  return values;
}

bool is_number(const c10::IValue& value) { return value.isInt() || value.isDouble(); }

}  // namespace

std::optional<c10::IValue> boxed_literal(const Node& literal) {
  switch (literal.kind) {
    case Node::Kind::kNull:
      return c10::IValue();
    case Node::Kind::kBool:
      return c10::IValue(literal.integer != 0);
    case Node::Kind::kInt:
      return c10::IValue(literal.integer);
    case Node::Kind::kFloat:
      return c10::IValue(literal.number);
    case Node::Kind::kString:
      return c10::IValue(literal.text);
    case Node::Kind::kList:
      return boxed_list(literal);
    case Node::Kind::kMap:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Value> to_parameter(const c10::IValue& boxed) {
  if (boxed.isNone()) {
    return Value();
  }
  if (boxed.isBool()) {
    return Value(boxed.toBool());
  }
  if (boxed.isInt()) {
    return Value(boxed.toInt());
  }
  if (boxed.isDouble()) {
    return Value(boxed.toDouble());
  }
  if (boxed.isString()) {
    return Value(boxed.toStringRef());
  }
  if (boxed.isIntList()) {
    return to_sequence(boxed.toIntVector());
  }
  if (boxed.isDoubleList()) {
    return to_sequence(boxed.toDoubleVector());
  }
  return std::nullopt;
}

bool same_argument(const c10::IValue& argument, const c10::IValue& value) {
  if (is_number(argument) && is_number(value)) {
    return argument.toScalar().equal(value.isInt() ? c10::Scalar(value.toInt()).toDouble() : value.toDouble());
  }
  if (argument.isIntList() && value.isIntList()) {
    return argument.toIntVector() == value.toIntVector();
  }
  if (argument.isTensor() || value.isTensor()) {
    return false;
  }
  return argument.tagKind() == value.tagKind() && c10::_fastEqualsForContainer(argument, value);
}

}  // namespace opyard
