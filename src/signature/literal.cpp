#include "signature/literal.h"

#include <algorithm>

namespace opyard {

using Op = Expression::Op;

Expression constant(Op op, std::int64_t integer, std::string text, double number) {
  Expression result;
  result.op = op;
  result.integer = integer;
  result.text = std::move(text);
  result.number = number;
  return result;
}

bool is_constant(const Expression& expression) {
  switch (expression.op) {
    case Op::kInt:
    case Op::kFloat:
    case Op::kString:
    case Op::kBool:
    case Op::kNone:
      return true;
    case Op::kTuple:
      return std::all_of(expression.kids.begin(), expression.kids.end(), is_constant);
    default:
      return false;
  }
}

Expression literal_of(const Value& value) {
  if (const auto* truth = value.get_if<bool>()) {
    return constant(Op::kBool, *truth ? 1 : 0);
  }
  if (const auto* integer = value.get_if<std::int64_t>()) {
    return constant(Op::kInt, *integer);
  }
  if (const auto* number = value.get_if<double>()) {
    return constant(Op::kFloat, 0, "", *number);
  }
  if (const auto* text = value.get_if<std::string>()) {
    return constant(Op::kString, 0, *text);
  }
  if (const auto* dtype = value.get_if<c10::ScalarType>()) {
    return constant(Op::kString, 0, to_text(Value(*dtype)));
  }
  const Sequence* items = value.get_if<Sequence>();
  Expression result = constant(items != nullptr ? Op::kTuple : Op::kNone);
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    result.kids.push_back(literal_of((*items)[i]));
  }
  return result;
}

Value value_of_literal(const Expression& literal) {
  switch (literal.op) {
    case Op::kBool:
      return literal.integer != 0;
    case Op::kInt:
      return literal.integer;
    case Op::kFloat:
      return literal.number;
    case Op::kString:
      return literal.text;
    case Op::kTuple:
      break;
    default:
      return {};
  }
  Sequence items;
  for (const Expression& kid : literal.kids) {
    items.push_back(value_of_literal(kid));
  }
  return items;
}

}  // namespace opyard
