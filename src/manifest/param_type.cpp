#include "manifest/param_type.h"

#include <algorithm>
#include <cctype>

#include "error/nearest_name.h"

namespace opyard {
namespace {

using Kind = TypeMember::Kind;

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \n") + 1 - first);
}

std::vector<std::string> split_outside_brackets(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool in_quotes = false;
  for (const char c : text) {
    in_quotes = in_quotes != (c == '\'');
    if (!in_quotes) {
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
    if (c == separator && depth == 0 && !in_quotes) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) {
    part = trimmed(part);
  }
  return parts;
}

bool is_dotted_name(const std::string& text) {
  return !text.empty() && text.find('.') != std::string::npos && text.front() != '.' && text.back() != '.' &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

/// list[E], tuple[E, ...], tuple[E, E]; E is int or int | None.
std::optional<TypeMember> sequence_type(const std::string& text) {
  const std::size_t open = text.find('[');
  if (open == std::string::npos || text.back() != ']') {
    return std::nullopt;
  }
  const std::string outer = text.substr(0, open);
  std::vector<std::string> items = split_outside_brackets(text.substr(open + 1, text.size() - open - 2), ',');
  TypeMember member{.kind = Kind::kSequence};
  if (outer == "list" && items.size() == 1) {
    member.length = -1;
  } else if (outer == "tuple" && items.size() == 2 && items[1] == "...") {
    items.pop_back();
  } else if (outer == "tuple") {
    member.length = static_cast<int>(items.size());
  } else {
    return std::nullopt;
  }
  for (const std::string& item : items) {
    const std::vector<std::string> parts = split_union(item);
    const bool with_none = parts.size() == 2 && (parts[0] == "None" || parts[1] == "None");
    if (item != "int" && !(with_none && (parts[0] == "int" || parts[1] == "int"))) {
      return std::nullopt;
    }
    member.none_items = member.none_items || with_none;
  }
  return member;
}

std::optional<TypeMember> member_type(const std::string& text, const std::vector<AdtDecl>& adts) {
  if (text.size() >= 3 && text.front() == '\'' && text.back() == '\'') {
    const std::string content = text.substr(1, text.size() - 2);
    const bool plain = content.find_first_of("' \\|") == std::string::npos;
    return plain ? std::optional(TypeMember{.kind = Kind::kLiteral, .text = content}) : std::nullopt;
  }
  static const std::pair<const char*, Kind> kNamed[] = {{"int", Kind::kInt},
                                                        {"bool", Kind::kBool},
                                                        {"str", Kind::kStr},
                                                        {"float", Kind::kNumber},
                                                        {"Number", Kind::kNumber},
                                                        {"dict", Kind::kMapping},
                                                        {"torch.dtype", Kind::kAnyDtype}};
  for (const auto& [name, kind] : kNamed) {
    if (text == name) {
      return TypeMember{.kind = kind, .text = text};
    }
  }
  if (is_dtype_name(text)) {
    return TypeMember{.kind = Kind::kDtype, .text = text};
  }
  for (const AdtDecl& adt : adts) {
    if (adt.name == text) {
      return TypeMember{.kind = Kind::kAdt, .text = text};
    }
  }
  if (const auto sequence = sequence_type(text)) {
    return sequence;
  }
  const bool is_class_name =
      !text.empty() && std::isupper(static_cast<unsigned char>(text[0])) != 0 && is_dotted_name(text + ".x");
  return is_class_name || is_dotted_name(text) ? std::optional(TypeMember{.kind = Kind::kOpaque, .text = text})
                                               : std::nullopt;
}

std::optional<Value> as_sequence(const TypeMember& member, const Value& value) {
  const Sequence* items = value.get_if<Sequence>();
  if (items == nullptr || (member.length >= 0 && static_cast<int>(items->size()) != member.length)) {
    return std::nullopt;
  }
  for (const Value& item : *items) {
    if (item.get_if<std::int64_t>() == nullptr && !(member.none_items && item.is_none())) {
      return std::nullopt;
    }
  }
  return value;
}

std::optional<Value> as_dtype(const TypeMember& member, const Value& value) {
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  if (const auto* given = value.get_if<c10::ScalarType>()) {
    dtype = *given;
  } else if (const auto* name = value.get_if<std::string>()) {
    dtype = dtype_by_name(*name);
  }
  const char* name = dtype_name(dtype);
  if (name == nullptr || !is_dtype_name(name) || (member.kind == Kind::kDtype && member.text != name)) {
    return std::nullopt;
  }
  return Value(dtype);
}

/// The value under `key` in a sequence of [key, value].
const Value* value_under(const Sequence& pairs, const std::string& key) {
  for (const Value& pair : pairs) {
    const Sequence* parts = pair.get_if<Sequence>();
    if (parts != nullptr && parts->size() == 2) {
      const auto* name = (*parts)[0].get_if<std::string>();
      if (name != nullptr && *name == key) {
        return &(*parts)[1];
      }
    }
  }
  return nullptr;
}

std::optional<Value> field_value(const IndexDecl& field, const Value& value) {
  const std::int64_t* number = value.get_if<std::int64_t>();
  if (field.kind.text == "Dim" || field.kind.text == "int") {
    return number != nullptr && (*number >= 0 || field.kind.text == "int") ? std::optional(value) : std::nullopt;
  }
  if (field.kind.text == "bool") {
    return value.get_if<bool>() != nullptr ? std::optional(value) : std::nullopt;
  }
  const auto* word = value.get_if<std::string>();
  for (const std::string& member : split_union(field.kind.text)) {
    if (word != nullptr && member == "'" + *word + "'") {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<Value> as_adt(const AdtDecl& adt, const Value& value) {
  const Sequence* outer = value.get_if<Sequence>();
  for (const AdtDecl::Constructor& constructor : adt.constructors) {
    const Value* content = outer != nullptr && outer->size() == 1 ? value_under(*outer, constructor.name) : nullptr;
    const Sequence* pairs = content != nullptr ? content->get_if<Sequence>() : nullptr;
    if (pairs == nullptr || pairs->size() != constructor.fields.size()) {
      continue;
    }
    Sequence kept{Value(constructor.name)};
    for (const IndexDecl& field : constructor.fields) {
      const Value* given = value_under(*pairs, field.name);
      const std::optional<Value> converted = given != nullptr ? field_value(field, *given) : std::nullopt;
      if (!converted) {
        return std::nullopt;
      }
      kept.push_back(*converted);
    }
    return Value(std::move(kept));
  }
  return std::nullopt;
}

std::optional<Value> accepted(const TypeMember& member, const std::vector<AdtDecl>& adts, const Value& value) {
  const bool is_int = value.get_if<std::int64_t>() != nullptr;
  const bool is_bool = value.get_if<bool>() != nullptr;
  const std::string* text = value.get_if<std::string>();
  const auto when = [&](bool yes) { return yes ? std::optional(value) : std::nullopt; };
  switch (member.kind) {
    case Kind::kInt:
      return when(is_int);
    case Kind::kBool:
      return when(is_bool);
    case Kind::kStr:
      return when(text != nullptr);
    case Kind::kLiteral:
      return when(text != nullptr && *text == member.text);
    case Kind::kDtype:
    case Kind::kAnyDtype:
      return as_dtype(member, value);
    case Kind::kSequence:
      return as_sequence(member, value);
    case Kind::kNumber:
      return when(is_int || is_bool || value.get_if<double>() != nullptr);
    case Kind::kMapping:
      return when(value.get_if<Sequence>() != nullptr);
    case Kind::kAdt:
      for (const AdtDecl& adt : adts) {
        if (adt.name == member.text) {
          return as_adt(adt, value);
        }
      }
      return std::nullopt;
    case Kind::kOpaque:
      return value;
    case Kind::kTensor:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool ParamType::only(TypeMember::Kind kind) const {
  return !members.empty() &&
         std::all_of(members.begin(), members.end(), [&](const TypeMember& member) { return member.kind == kind; });
}

bool ParamType::is_dtype() const {
  return !members.empty() && std::all_of(members.begin(), members.end(), [](const TypeMember& member) {
    return member.kind == Kind::kDtype || member.kind == Kind::kAnyDtype;
  });
}

std::vector<std::string> split_union(const std::string& text) { return split_outside_brackets(text, '|'); }

std::int32_t member_offset(const std::string& text, const std::string& member) {
  const auto is_name_part = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  std::size_t at = text.find(member);
  while (at != std::string::npos && ((at > 0 && is_name_part(at - 1)) || is_name_part(at + member.size()))) {
    at = text.find(member, at + 1);
  }
  return at == std::string::npos ? 0 : static_cast<std::int32_t>(at);
}

namespace {

std::vector<std::string> type_names(const std::vector<AdtDecl>& adts) {
  std::vector<std::string> names = dtype_names();
  names.insert(names.end(), {"int", "bool", "str", "float", "Number", "dict", "None", "torch.dtype", "list[int]"});
  for (const AdtDecl& adt : adts) {
    names.push_back(adt.name);
  }
  return names;
}

}  // namespace

ParamType parse_param_type(const Text& text, const std::vector<AdtDecl>& adts, const Place& place) {
  ParamType type;
  for (const std::string& part : split_union(text.text)) {
    if (part == "None") {
      type.maybe = true;
      continue;
    }
    const std::optional<TypeMember> member = member_type(part, adts);
    if (!member) {
      fail_manifest(place, text.at(member_offset(text.text, part)), "'" + part + "' is no parameter type",
                    "int, bool, str, float, Number, dict, a quoted word, a dtype name, torch.dtype, list[int], "
                    "tuple[int, ...], tuple[int, int], None, an algebraic data type or a dotted name" +
                        nearest_name(part, type_names(adts)),
                    text.text);
    }
    type.members.push_back(*member);
  }
  return type;
}

std::optional<Value> convert(const ParamType& type, const std::vector<AdtDecl>& adts, const Value& value) {
  if (value.is_none()) {
    return type.maybe ? std::optional(value) : std::nullopt;
  }
  for (const TypeMember& member : type.members) {
    if (auto converted = accepted(member, adts, value)) {
      return converted;
    }
  }
  return std::nullopt;
}

Value value_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return {};
    case Node::Kind::kBool:
      return node.integer != 0;
    case Node::Kind::kInt:
      return node.integer;
    case Node::Kind::kFloat:
      return node.number;
    case Node::Kind::kString:
      return node.text;
    case Node::Kind::kList:
    case Node::Kind::kMap:
      break;
  }
  Sequence items;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    items.push_back(node.is_map() ? Value(Sequence{Value(node.keys[i]), value_of(node.items[i])})
                                  : value_of(node.items[i]));
  }
  return items;
}

const std::vector<std::string>& dtype_names() {
  static const std::vector<std::string> names{
      "bool",          "uint8",       "int8",        "int16",           "int32",
      "int64",         "float16",     "bfloat16",    "float32",         "float64",
      "float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e5m2fnuz", "float8_e4m3fnuz",
      "complex64",     "complex128"};
  return names;
}

bool is_dtype_name(const std::string& name) {
  return std::find(dtype_names().begin(), dtype_names().end(), name) != dtype_names().end();
}

}  // namespace opyard
