// Construction parameters as the C++ values that kernels use.
#pragma once

#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {

inline double number(const Value& value) {
  if (const auto* integer = value.get_if<std::int64_t>()) {
    return static_cast<double>(*integer);
  }
  return value.get<double>();
}

inline std::optional<double> optional_number(const Value& value) {
  return value.is_none() ? std::nullopt : std::optional<double>(number(value));
}

inline std::vector<std::int64_t> integers(const Value& value) {
  std::vector<std::int64_t> result;
  for (const Value& item : value.get<Sequence>()) {
    result.push_back(item.get<std::int64_t>());
  }
  return result;
}

}  // namespace opyard::kernels::OPYARD_ISA
