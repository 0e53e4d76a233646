// Expressions that give one unknown size back: c * n + e.
#pragma once

#include <string>

#include "manifest/expression.h"

namespace opyard {

/// Whether the expression is n | c * A | A + e | e + A | A - e, with c a positive literal on the left and e free of n.
bool is_affine(const Expression& expression, const std::string& name);

/// The expression with a number in place of the name.
Expression with_value(const Expression& expression, const std::string& name, std::int64_t value);

}  // namespace opyard
