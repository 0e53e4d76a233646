// The type of a construction parameter: what it accepts and how that is converted.
#pragma once

#include <opyard/value.h>

#include <optional>
#include <string>
#include <vector>

#include "manifest/expression.h"
#include "manifest/schema.h"

namespace opyard {

struct TypeMember {
  enum class Kind {
    kInt,
    kBool,
    kStr,
    kLiteral,
    kDtype,
    kAnyDtype,
    kAdt,
    kSequence,
    kNumber,
    kMapping,
    kOpaque,
    kTensor
  };
  Kind kind = Kind::kInt;
  std::string text;         // the literal, the dtype's name, the ADT's name
  int length = -1;          // kSequence: fixed number of items, or -1
  bool none_items = false;  // kSequence: items may be None
};

struct ParamType {
  std::vector<TypeMember> members;  // in written order, without None
  bool maybe = false;               // None is accepted

  bool only(TypeMember::Kind kind) const;
  bool is_bool() const { return only(TypeMember::Kind::kBool); }
  bool is_enum() const { return only(TypeMember::Kind::kLiteral); }
  bool is_adt() const { return only(TypeMember::Kind::kAdt); }
  bool is_dtype() const;
};

/// Throws ManifestError when the text is no type.
ParamType parse_param_type(const Text& text, const std::vector<AdtDecl>& adts, const Place& place);

/// The parts of a `|` union, split outside brackets and quotes, without surrounding spaces.
std::vector<std::string> split_union(const std::string& text);

/// Where a member of a union, or a name inside one of its brackets, starts in the union's text.
std::int32_t member_offset(const std::string& text, const std::string& member);

/// The value as the parameter keeps it: dtypes as ScalarType, sequences as Sequence, an ADT as [constructor, field…];
/// numbers keep their type. Nothing when no member accepts it.
std::optional<Value> convert(const ParamType& type, const std::vector<AdtDecl>& adts, const Value& value);

/// Plain data as a value; a mapping becomes a sequence of [key, value].
Value value_of(const Node& node);

/// The language's dtypes, also one that torch has not (float8_e4m3).
const std::vector<std::string>& dtype_names();
bool is_dtype_name(const std::string& name);

}  // namespace opyard
