#include "signature/affine.h"

namespace opyard {
namespace {

using Op = Expression::Op;

bool mentions(const Expression& expression, const std::string& name) {
  bool found = false;
  for_each_name(expression, [&](const std::string& other) { found = found || other == name; });
  return found;
}

}  // namespace

Expression with_value(const Expression& expression, const std::string& name, std::int64_t value) {
  if (expression.is_name(name)) {
    return Expression{.op = Op::kInt, .integer = value};
  }
  Expression result = expression;
  for (Expression& kid : result.kids) {
    kid = with_value(kid, name, value);
  }
  return result;
}

bool is_affine(const Expression& expression, const std::string& name) {
  if (expression.is_name(name)) {
    return true;
  }
  if (expression.kids.size() != 2) {
    return false;
  }
  const Expression& left = expression.kids[0];
  const Expression& right = expression.kids[1];
  switch (expression.op) {
    case Op::kMultiply:
      return left.is(Op::kInt) && left.integer > 0 && is_affine(right, name);
    case Op::kAdd:
      return mentions(left, name) ? is_affine(left, name) && !mentions(right, name) : is_affine(right, name);
    case Op::kSubtract:
      return is_affine(left, name) && !mentions(right, name);
    default:
      return false;
  }
}

}  // namespace opyard
