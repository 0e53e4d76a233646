#include "signature/representable.h"

#include <cmath>

namespace opyard {
namespace {

/// The largest finite value; 0 for a dtype without one.
double largest(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Byte:
      return 255;
    case c10::ScalarType::Char:
      return 127;
    case c10::ScalarType::Short:
      return 32767;
    case c10::ScalarType::Int:
      return 2147483647;
    case c10::ScalarType::Half:
      return 65504;
    case c10::ScalarType::BFloat16:
      return std::ldexp(255.0, 120);
    case c10::ScalarType::Float:
    case c10::ScalarType::ComplexFloat:
      return std::ldexp(16777215.0, 104);
    case c10::ScalarType::Double:
    case c10::ScalarType::ComplexDouble:
      return std::ldexp(9007199254740991.0, 971);
    case c10::ScalarType::Float8_e4m3fn:
      return 448;
    case c10::ScalarType::Float8_e4m3fnuz:
      return 240;
    case c10::ScalarType::Float8_e5m2:
    case c10::ScalarType::Float8_e5m2fnuz:
      return 57344;
    default:
      return 0;
  }
}

bool has_infinity(c10::ScalarType dtype) {
  return dtype != c10::ScalarType::Float8_e4m3fn && dtype != c10::ScalarType::Float8_e4m3fnuz &&
         dtype != c10::ScalarType::Float8_e5m2fnuz;
}

}  // namespace

const char* dtype_category(c10::ScalarType dtype) {
  if (dtype == c10::ScalarType::Bool) {
    return "bool";
  }
  if (c10::isIntegralType(dtype, false)) {
    return "int";
  }
  if (c10::isComplexType(dtype)) {
    return "complex";
  }
  return c10::isFloatingType(dtype) ? "float" : "";
}

bool representable_integer(std::int64_t value, c10::ScalarType dtype) {
  if (dtype == c10::ScalarType::Bool || dtype == c10::ScalarType::Long) {
    return true;
  }
  if (!c10::isIntegralType(dtype, false)) {
    return representable_number(static_cast<double>(value), dtype);
  }
  const auto maximum = static_cast<std::int64_t>(largest(dtype));
  const std::int64_t minimum = dtype == c10::ScalarType::Byte ? -maximum : -maximum - 1;
  return value >= minimum && value <= maximum;
}

bool representable_number(double value, c10::ScalarType dtype) {
  if (dtype == c10::ScalarType::Bool) {
    return true;
  }
  if (c10::isIntegralType(dtype, false)) {
    if (!std::isfinite(value)) {
      return false;
    }
    if (dtype == c10::ScalarType::Long) {
      return value >= -9223372036854775808.0 && value < 9223372036854775808.0;
    }
    const double minimum = dtype == c10::ScalarType::Byte ? -255.0 : -largest(dtype) - 1;
    return value >= minimum && value <= largest(dtype);
  }
  if (std::isnan(value)) {
    return true;
  }
  return std::isinf(value) ? has_infinity(dtype) : std::fabs(value) <= largest(dtype);
}

}  // namespace opyard
