// Values between a manifest's text, boxed arguments and parameters.
#pragma once

#include <ATen/core/ivalue.h>
#include <manifest/node.h>
#include <opyard/value.h>

#include <optional>

namespace opyard {

/// A literal as a boxed argument; nothing for a mapping.
std::optional<c10::IValue> boxed_literal(const Node& literal);

/// A boxed argument as a parameter's value; nothing for what no parameter takes.
std::optional<Value> to_parameter(const c10::IValue& boxed);

/// Whether an argument is that value: numbers by value, so that 1 and 1.0 are the same scalar, all else by kind too.
bool same_argument(const c10::IValue& argument, const c10::IValue& value);

}  // namespace opyard
