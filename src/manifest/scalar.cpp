#include "manifest/scalar.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>

namespace opyard {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool all_in(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

struct Signed {
  bool negative = false;
  std::string_view rest;
};

Signed split_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    return {text[0] == '-', text.substr(1)};
  }
  return {false, text};
}

std::string without_underscores(std::string_view text) {
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  return digits;
}

/// The radix of an integer's digits, which are cut free of their prefix; 0 when the text is no integer.
int integer_radix(std::string_view& digits) {
  const auto has_digits = [](std::string_view text, std::string_view allowed) {
    return !text.empty() && all_in(text, allowed);
  };
  if (digits.substr(0, 2) == "0b" && has_digits(digits.substr(2), "01_")) {
    digits.remove_prefix(2);
    return 2;
  }
  if (digits.substr(0, 2) == "0x" && has_digits(digits.substr(2), "0123456789abcdefABCDEF_")) {
    digits.remove_prefix(2);
    return 16;
  }
  if (digits == "0") {
    return 10;
  }
  if (!digits.empty() && digits[0] == '0' && has_digits(digits.substr(1), "01234567_")) {
    digits.remove_prefix(1);
    return 8;
  }
  if (!digits.empty() && digits[0] >= '1' && digits[0] <= '9' && all_in(digits, "0123456789_")) {
    return 10;
  }
  return 0;
}

/// [0-9][0-9_]*.[0-9_]* or .[0-9][0-9_]*, then perhaps an exponent with its sign.
bool is_float(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    const std::string_view power = text.substr(exponent + 1);
    if (power.size() < 2 || (power[0] != '-' && power[0] != '+') || !all_in(power.substr(1), "0123456789")) {
      return false;
    }
    text = text.substr(0, exponent);
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) {
    return false;
  }
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = text.substr(dot + 1);
  const auto starts_with_digit = [](std::string_view part) { return !part.empty() && std::isdigit(part[0]) != 0; };
  if (!all_in(whole, "0123456789_") || !all_in(fraction, "0123456789_")) {
    return false;
  }
  return whole.empty() ? starts_with_digit(fraction) : starts_with_digit(whole);
}

std::optional<double> float_value(std::string_view text) {
  const Signed number = split_sign(text);
  if (one_of(number.rest, {".inf", ".Inf", ".INF"})) {
    const double infinity = std::numeric_limits<double>::infinity();
    return number.negative ? -infinity : infinity;
  }
  if (one_of(text, {".nan", ".NaN", ".NAN"})) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (is_float(number.rest)) {
    return std::strtod(without_underscores(text).c_str(), nullptr);
  }
  return std::nullopt;
}

/// Base-60 numbers and dates: the safe loader makes numbers and dates of them, which nobody means.
bool is_time_or_date(std::string_view text) {
  const std::string_view rest = split_sign(text).rest;
  if (rest.empty() || std::isdigit(rest[0]) == 0) {
    return false;
  }
  const bool base_60 = rest.find(':') != std::string_view::npos && all_in(rest, "0123456789_:.");
  const bool date = rest.size() >= 8 && rest[4] == '-' && all_in(rest.substr(0, 4), "0123456789") &&
                    all_in(rest.substr(0, 10), "0123456789-");
  return base_60 || date;
}

}  // namespace

const char* resolve_plain_scalar(const std::string& text, Node& node) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) {
    node.kind = Node::Kind::kNull;
    return nullptr;
  }
  const bool yes = one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"});
  if (yes || one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
    node.kind = Node::Kind::kBool;
    node.integer = yes ? 1 : 0;
    return nullptr;
  }
  const Signed number = split_sign(text);
  std::string_view digits = number.rest;
  if (const int radix = integer_radix(digits)) {
    errno = 0;
    const std::string signed_digits = (number.negative ? "-" : "") + without_underscores(digits);
    node.kind = Node::Kind::kInt;
    node.integer = std::strtoll(signed_digits.c_str(), nullptr, radix);
    return errno == ERANGE ? "an integer beyond 64 bits" : nullptr;
  }
  if (const std::optional<double> value = float_value(text)) {
    node.kind = Node::Kind::kFloat;
    node.number = *value;
    return nullptr;
  }
  if (is_time_or_date(text)) {
    return "a date or a base-60 number; quote it if it is a string";
  }
  if (text == "<<" || text == "=") {
    return "a merge key or a default key";
  }
  node.kind = Node::Kind::kString;
  node.text = text;
  return nullptr;
}

}  // namespace opyard
