// A value that a declaration or a call can carry: parameters, solved indices, identities.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace opyard {

struct Value;
using Sequence = std::vector<Value>;

/// None, a scalar, a string, a dtype, a device, or a sequence of values.
struct Value {
  using Data =
      std::variant<std::monostate, bool, std::int64_t, double, std::string, c10::ScalarType, c10::Device, Sequence>;

  Value() = default;
  Value(bool value) : data(value) {}
  Value(int value) : data(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data(value) {}
  Value(double value) : data(value) {}
  Value(const char* value) : data(std::string(value)) {}
  Value(std::string value) : data(std::move(value)) {}
  Value(c10::ScalarType value) : data(value) {}
  Value(c10::Device value) : data(value) {}
  Value(Sequence value) : data(std::move(value)) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(data); }

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&data);
  }

  /// The held value; std::bad_variant_access when it is of another type.
  template <class T>
  const T& get() const {
    return std::get<T>(data);
  }

  Data data;
};

using NamedValue = std::pair<std::string, Value>;

/// Equal type and equal content: 1, 1.0 and true differ; floats compare by bit pattern.
bool operator==(const Value& a, const Value& b);

std::size_t hash_value(const Value& value);

/// Canonical text, the same for equal values: `None`, `True`, `1`, `1e-06`, `'x'`, `float32`, `[1, 2]`.
std::string to_text(const Value& value);

/// The dtype's name in a manifest (`float32`), and back; nullptr and Undefined where there is none.
const char* dtype_name(c10::ScalarType dtype);
c10::ScalarType dtype_by_name(std::string_view name);

}  // namespace opyard
