// What numbers a dtype can hold.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>

namespace opyard {

/// 'bool', 'int', 'float' or 'complex'; nullptr for what is no dtype of the language.
const char* dtype_category(c10::ScalarType dtype);

/// Any integer fits a bool; an unsigned type also takes integers down to minus its maximum.
bool representable_integer(std::int64_t value, c10::ScalarType dtype);
bool representable_number(double value, c10::ScalarType dtype);

}  // namespace opyard
