// A value while a program runs: small, trivially copied for plain integers, over symbolic ones as well.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/SymBool.h>
#include <c10/core/SymInt.h>

#include <cstdint>

namespace opyard {

/// What differs between plain and symbolic sizes.
template <class Int>
struct Sizes;

template <>
struct Sizes<std::int64_t> {
  using Bool = bool;
};

template <>
struct Sizes<c10::SymInt> {
  using Bool = c10::SymBool;
};

enum class ValKind : std::uint8_t { kNone, kBool, kInt, kFloat, kString, kDtype, kSequence, kOpaque };

template <class Int>
struct Val {
  using Bool = typename Sizes<Int>::Bool;

  ValKind kind = ValKind::kNone;
  std::int32_t id = 0;      // kString: its number, -1 for one that the declaration never names; kDtype: ScalarType;
                            // kSequence: its first item in the pool
  std::int32_t length = 0;  // kSequence
  Int integer = 0;          // kInt
  double number = 0;        // kFloat
  Bool boolean = false;     // kBool

  static Val of_int(Int value) {
    Val val;
    val.kind = ValKind::kInt;
    val.integer = std::move(value);
    return val;
  }
  static Val of_bool(Bool value) {
    Val val;
    val.kind = ValKind::kBool;
    val.boolean = std::move(value);
    return val;
  }
  static Val of_float(double value) {
    Val val;
    val.kind = ValKind::kFloat;
    val.number = value;
    return val;
  }
  static Val of_string(std::int32_t id) {
    Val val;
    val.kind = ValKind::kString;
    val.id = id;
    return val;
  }
  static Val of_dtype(c10::ScalarType dtype) {
    Val val;
    val.kind = ValKind::kDtype;
    val.id = static_cast<std::int32_t>(dtype);
    return val;
  }
  static Val of_sequence(std::size_t first, std::size_t length) {
    Val val;
    val.kind = ValKind::kSequence;
    val.id = static_cast<std::int32_t>(first);
    val.length = static_cast<std::int32_t>(length);
    return val;
  }

  c10::ScalarType dtype() const { return static_cast<c10::ScalarType>(id); }
};

}  // namespace opyard
