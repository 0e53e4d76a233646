// Integer arithmetic of the expression language: overflow is a failure, division floors.
#pragma once

#include <optional>
#include <string>

#include "signature/machine.h"

namespace opyard {

inline std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    throw EvaluationFailure("the sum leaves 64 bits");
  }
  return result;
}

inline std::int64_t subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) {
    throw EvaluationFailure("the difference leaves 64 bits");
  }
  return result;
}

inline std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw EvaluationFailure("the product leaves 64 bits");
  }
  return result;
}

inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) {
    throw EvaluationFailure("division by zero");
  }
  if (b == -1) {
    return subtract(0, a);
  }
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

inline std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) {
    throw EvaluationFailure("division by zero");
  }
  if (b == -1) {
    return 0;
  }
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Symbolic sizes: torch's own `//` and `%` floor for non-negative operands, which sizes are.
// Neutral operands are dropped, so that a graph shows `s0` and not `s0 - 0`.
inline c10::SymInt add(const c10::SymInt& a, const c10::SymInt& b) {
  return a.maybe_as_int() == 0 ? b : b.maybe_as_int() == 0 ? a : a + b;
}
inline c10::SymInt subtract(const c10::SymInt& a, const c10::SymInt& b) { return b.maybe_as_int() == 0 ? a : a - b; }
inline c10::SymInt multiply(const c10::SymInt& a, const c10::SymInt& b) {
  return a.maybe_as_int() == 1 ? b : b.maybe_as_int() == 1 ? a : a * b;
}

inline c10::SymInt floor_divide(const c10::SymInt& a, const c10::SymInt& b) {
  const auto x = a.maybe_as_int();
  const auto y = b.maybe_as_int();
  if (x && y) {
    return c10::SymInt(floor_divide(*x, *y));
  }
  if (y == 0) {
    throw EvaluationFailure("division by zero");
  }
  return y == 1 ? a : a / b;
}

inline c10::SymInt modulo(const c10::SymInt& a, const c10::SymInt& b) {
  const auto x = a.maybe_as_int();
  const auto y = b.maybe_as_int();
  if (x && y) {
    return c10::SymInt(modulo(*x, *y));
  }
  if (y == 0) {
    throw EvaluationFailure("division by zero");
  }
  return y == 1 ? c10::SymInt(0) : a % b;
}

inline bool int_equal(std::int64_t a, std::int64_t b) { return a == b; }
inline bool int_less(std::int64_t a, std::int64_t b) { return a < b; }
inline bool int_less_equal(std::int64_t a, std::int64_t b) { return a <= b; }
inline c10::SymBool int_equal(const c10::SymInt& a, const c10::SymInt& b) {
  const bool same = a.is_symbolic() && b.is_symbolic() && a.toSymNodeImplUnowned() == b.toSymNodeImplUnowned();
  return same ? c10::SymBool(true) : a.sym_eq(b);
}
inline c10::SymBool int_less(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_lt(b); }
inline c10::SymBool int_less_equal(const c10::SymInt& a, const c10::SymInt& b) { return a.sym_le(b); }

/// A truth known without a guard.
inline std::optional<bool> known(bool value) { return value; }
inline std::optional<bool> known(const c10::SymBool& value) { return value.maybe_as_bool(); }

inline bool both(bool a, bool b) { return a && b; }
inline bool either(bool a, bool b) { return a || b; }
inline bool negated(bool a) { return !a; }
inline c10::SymBool both(const c10::SymBool& a, const c10::SymBool& b) { return a.sym_and(b); }
inline c10::SymBool either(const c10::SymBool& a, const c10::SymBool& b) { return a.sym_or(b); }
inline c10::SymBool negated(const c10::SymBool& a) { return a.sym_not(); }

/// A truth to branch on: a guard.
inline bool decided(bool value) { return value; }
inline bool decided(const c10::SymBool& value) { return value.guard_bool(__FILE__, __LINE__); }

/// A truth that must hold: a guard, or a check at run time where the size is not known while tracing.
inline bool required(bool value) { return value; }
inline bool required(const c10::SymBool& value) { return value.expect_true(__FILE__, __LINE__); }

inline std::optional<std::int64_t> plain_value(std::int64_t value) { return value; }
inline std::optional<std::int64_t> plain_value(const c10::SymInt& value) { return value.maybe_as_int(); }

inline std::string int_text(std::int64_t value) { return std::to_string(value); }
inline std::string int_text(const c10::SymInt& value) {
  const auto plain = value.maybe_as_int();
  return plain ? std::to_string(*plain) : value.toSymNode()->str();
}

}  // namespace opyard
