#include <opyard/value.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>

namespace opyard {
namespace {

struct DtypeName {
  c10::ScalarType dtype;
  const char* name;
};

constexpr std::array<DtypeName, 19> kDtypeNames{{
    {c10::ScalarType::Bool, "bool"},
    {c10::ScalarType::Byte, "uint8"},
    {c10::ScalarType::Char, "int8"},
    {c10::ScalarType::Short, "int16"},
    {c10::ScalarType::Int, "int32"},
    {c10::ScalarType::Long, "int64"},
    {c10::ScalarType::UInt16, "uint16"},
    {c10::ScalarType::UInt32, "uint32"},
    {c10::ScalarType::UInt64, "uint64"},
    {c10::ScalarType::Half, "float16"},
    {c10::ScalarType::BFloat16, "bfloat16"},
    {c10::ScalarType::Float, "float32"},
    {c10::ScalarType::Double, "float64"},
    {c10::ScalarType::Float8_e4m3fn, "float8_e4m3fn"},
    {c10::ScalarType::Float8_e5m2, "float8_e5m2"},
    {c10::ScalarType::Float8_e4m3fnuz, "float8_e4m3fnuz"},
    {c10::ScalarType::Float8_e5m2fnuz, "float8_e5m2fnuz"},
    {c10::ScalarType::ComplexFloat, "complex64"},
    {c10::ScalarType::ComplexDouble, "complex128"},
}};

std::size_t combine(std::size_t seed, std::size_t hash) {
  return seed ^ (hash + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::string float_text(double number) {
  if (std::isnan(number)) {
    return "nan";
  }
  if (std::isinf(number)) {
    return number > 0 ? "inf" : "-inf";
  }
  std::array<char, 64> buffer;
  const double magnitude = std::fabs(number);
  const bool fixed = number == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string quoted(const std::string& content) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "'";
  for (const char c : content) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      text.append({'\\', c});
    } else if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      text.append({'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]});
    } else {
      text += c;
    }
  }
  return text + "'";
}

struct TextOf {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return float_text(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(c10::ScalarType value) const {
    const char* name = dtype_name(value);
    return name != nullptr ? name : c10::toString(value);
  }
  std::string operator()(const c10::Device& value) const { return "device(" + value.str() + ")"; }
  std::string operator()(const Sequence& value) const {
    std::string text = "[";
    for (const Value& item : value) {
      text.append(text.size() > 1 ? ", " : "").append(to_text(item));
    }
    return text + "]";
  }
};

struct HashOf {
  std::size_t operator()(std::monostate) const { return 0; }
  std::size_t operator()(bool value) const { return value ? 1 : 2; }
  std::size_t operator()(std::int64_t value) const { return std::hash<std::int64_t>{}(value); }
  std::size_t operator()(double value) const { return std::hash<std::uint64_t>{}(std::bit_cast<std::uint64_t>(value)); }
  std::size_t operator()(const std::string& value) const { return std::hash<std::string>{}(value); }
  std::size_t operator()(c10::ScalarType value) const { return static_cast<std::size_t>(value); }
  std::size_t operator()(const c10::Device& value) const { return std::hash<c10::Device>{}(value); }
  std::size_t operator()(const Sequence& value) const {
    std::size_t seed = value.size();
    for (const Value& item : value) {
      seed = combine(seed, hash_value(item));
    }
    return seed;
  }
};

}  // namespace

bool operator==(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) {
    return false;
  }
  if (const double* number = a.get_if<double>()) {
    return std::bit_cast<std::uint64_t>(*number) == std::bit_cast<std::uint64_t>(b.get<double>());
  }
  return a.data == b.data;
}

std::size_t hash_value(const Value& value) { return combine(value.data.index(), std::visit(HashOf{}, value.data)); }

std::string to_text(const Value& value) { return std::visit(TextOf{}, value.data); }

const char* dtype_name(c10::ScalarType dtype) {
  for (const DtypeName& entry : kDtypeNames) {
    if (entry.dtype == dtype) {
      return entry.name;
    }
  }
  return nullptr;
}

c10::ScalarType dtype_by_name(std::string_view name) {
  for (const DtypeName& entry : kDtypeNames) {
    if (name == entry.name) {
      return entry.dtype;
    }
  }
  return c10::ScalarType::Undefined;
}

}  // namespace opyard
