#include "manifest/kinds.h"

#include <algorithm>

namespace opyard {

using Tag = Kind::Tag;

Kind int_kind() { return {}; }
Kind bool_kind() { return {.tag = Tag::kBool}; }
Kind value_kind() { return {.tag = Tag::kValue}; }
Kind seq_kind(Kind item) { return {.tag = Tag::kSeq, .parts = {std::move(item)}}; }
Kind str_kind(std::set<std::string> members) { return {.tag = Tag::kStr, .members = std::move(members)}; }
Kind dtype_kind(std::set<std::string> members) { return {.tag = Tag::kDtype, .members = std::move(members)}; }

namespace {

std::string joined(const std::set<std::string>& members, const char* quote) {
  std::string text;
  for (const std::string& member : members) {
    text += (text.empty() ? "" : " | ") + (quote + member + quote);
  }
  return text;
}

void add_part(std::vector<Kind>& parts, Kind kind) {
  for (Kind& part : parts) {
    if (part.is(kind.tag) && (kind.is(Tag::kStr) || kind.is(Tag::kDtype))) {
      part.members.insert(kind.members.begin(), kind.members.end());
      return;
    }
    if (part == kind) {
      return;
    }
  }
  parts.push_back(std::move(kind));
}

}  // namespace

std::string to_text(const Kind& kind) {
  switch (kind.tag) {
    case Tag::kInt:
      return "Int";
    case Tag::kBool:
      return "Bool";
    case Tag::kStr:
      return kind.members.empty() ? "Str" : joined(kind.members, "'");
    case Tag::kDtype:
      return "DType[" + joined(kind.members, "") + "]";
    case Tag::kSeq:
      return kind.parts.empty() ? "Seq" : "Seq[" + to_text(kind.parts[0]) + "]";
    case Tag::kAdt:
      return *kind.members.begin();
    case Tag::kNone:
      return "None";
    case Tag::kValue:
      return "Value";
    case Tag::kMaybe:
      return "Maybe[" + to_text(kind.parts[0]) + "]";
    case Tag::kUnion:
      break;
  }
  std::string text;
  for (const Kind& part : kind.parts) {
    text += (text.empty() ? "" : " | ") + to_text(part);
  }
  return text;
}

Kind kind_of(const ParamType& type) {
  std::vector<Kind> parts;
  for (const TypeMember& member : type.members) {
    switch (member.kind) {
      case TypeMember::Kind::kInt:
        add_part(parts, int_kind());
        break;
      case TypeMember::Kind::kBool:
        add_part(parts, bool_kind());
        break;
      case TypeMember::Kind::kStr:
        add_part(parts, str_kind({}));
        break;
      case TypeMember::Kind::kLiteral:
        add_part(parts, str_kind({member.text}));
        break;
      case TypeMember::Kind::kDtype:
        add_part(parts, dtype_kind({member.text}));
        break;
      case TypeMember::Kind::kAnyDtype:
        add_part(parts, dtype_kind({}));
        break;
      case TypeMember::Kind::kAdt:
        add_part(parts, {.tag = Tag::kAdt, .members = {member.text}});
        break;
      case TypeMember::Kind::kSequence:
        add_part(parts, seq_kind(member.none_items ? Kind{.tag = Tag::kMaybe, .parts = {int_kind()}} : int_kind()));
        break;
      default:
        add_part(parts, value_kind());
        break;
    }
  }
  Kind kind = parts.size() == 1 ? parts[0] : Kind{.tag = Tag::kUnion, .parts = parts};
  if (parts.empty()) {
    return {.tag = Tag::kNone};
  }
  return type.maybe ? Kind{.tag = Tag::kMaybe, .parts = {std::move(kind)}} : kind;
}

bool overlap(const Kind& a, const Kind& b) {
  const auto any = [](const Kind& many, const Kind& other) {
    return std::any_of(many.parts.begin(), many.parts.end(), [&](const Kind& part) { return overlap(part, other); });
  };
  if (a.is(Tag::kUnion)) {
    return any(a, b);
  }
  if (b.is(Tag::kUnion)) {
    return any(b, a);
  }
  if (a.is(Tag::kMaybe) || b.is(Tag::kMaybe)) {
    return a.is(Tag::kMaybe) && b.is(Tag::kMaybe) && overlap(a.parts[0], b.parts[0]);
  }
  if (a.is(Tag::kValue) || b.is(Tag::kValue)) {
    const Kind& other = a.is(Tag::kValue) ? b : a;
    return is_number(other);
  }
  const bool words = (a.is(Tag::kStr) || a.is(Tag::kDtype)) && (b.is(Tag::kStr) || b.is(Tag::kDtype));
  if (words) {
    return a.members.empty() || b.members.empty() ||
           std::any_of(a.members.begin(), a.members.end(), [&](const auto& word) { return b.members.count(word) > 0; });
  }
  if (a.is(Tag::kSeq) && b.is(Tag::kSeq)) {
    return a.parts.empty() || b.parts.empty() || overlap(a.parts[0], b.parts[0]);
  }
  return a.tag == b.tag;
}

bool accepts(const Kind& declared, const Kind& given) {
  if (given.is(Tag::kUnion)) {
    return std::all_of(given.parts.begin(), given.parts.end(),
                       [&](const Kind& part) { return accepts(declared, part); });
  }
  switch (declared.tag) {
    case Tag::kUnion:
      return std::any_of(declared.parts.begin(), declared.parts.end(),
                         [&](const Kind& part) { return accepts(part, given); });
    case Tag::kMaybe:
      return given.is(Tag::kNone) || accepts(declared.parts[0], given.is(Tag::kMaybe) ? given.parts[0] : given);
    case Tag::kValue:
      return !given.is(Tag::kNone) && !given.is(Tag::kMaybe);
    case Tag::kSeq:
      return given.is(Tag::kSeq) &&
             (declared.parts.empty() || given.parts.empty() || accepts(declared.parts[0], given.parts[0]));
    case Tag::kStr:
    case Tag::kDtype:
      return given.is(declared.tag) &&
             (declared.members.empty() ||
              (!given.members.empty() && std::includes(declared.members.begin(), declared.members.end(),
                                                       given.members.begin(), given.members.end())));
    default:
      return declared == given;
  }
}

}  // namespace opyard
