// Literals: expressions that are their own value, from and to values.
#pragma once

#include "manifest/expression.h"
#include "opyard/value.h"

namespace opyard {

/// A leaf of the kind `op`; each kind reads one of the others.
Expression constant(Expression::Op op, std::int64_t integer = 0, std::string text = "", double number = 0);

/// Whether the expression is a literal, or a tuple of literals.
bool is_constant(const Expression& expression);

/// A value as a literal; a dtype by its name. None for a value that expressions cannot read.
Expression literal_of(const Value& value);

/// The inverse, dtypes as strings.
Value value_of_literal(const Expression& literal);

}  // namespace opyard
