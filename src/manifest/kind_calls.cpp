#include "manifest/kind_calls.h"

#include <algorithm>
#include <span>

namespace opyard {

using Tag = Kind::Tag;

namespace {

std::span<const CallKind> all_calls() {
  static const auto number = [](const Kind&) { return int_kind(); };
  static const auto truth = [](const Kind&) { return bool_kind(); };
  static const auto shape = [](const Kind&) { return seq_kind(int_kind()); };
  static const CallKind kCalls[] = {
      {"broadcast", "s", "", true, shape},
      {"reduced", "sdbm", "", false, shape},
      {"valid_axes", "di", "", false, truth},
      {"unique_axes", "di", "", false, truth},
      {"per_axis", "pii", "p", false, number},
      {"ceil_div", "ii", "", false, number},
      {"len", "s", "", false, number},
      {"prod", "s", "", false, number},
      {"sum", "s", "", false, number},
      {"max", "s", "i", false, number},
      {"min", "s", "i", false, number},
      {"all", "B", "", false, truth},
      {"conv.out", "iiiii", "", false, number},
      {"pool.out", "iiiiib", "", false, number},
      {"moe.capacity", "lii", "", false, number},
      {"mhc.expansion", "i", "", false, number},
      {"promote_int_to_float", "t", "", false, [](const Kind&) { return dtype_kind({}); }},
      {"coalesce_dtype", "wt", "", false, [](const Kind&) { return dtype_kind({}); }},
      {"category", "x", "", false,
       [](const Kind&) {
         return str_kind({"bool", "int", "float", "complex"});
       }},
      {"representable", "vt", "", false, truth},
      {"balanced_sizes", "ii", "", false, shape},
      {"repeat", "ii", "", false, shape},
  };
  return kCalls;
}

}  // namespace

const CallKind* find_call(const std::string& name) {
  for (const CallKind& row : all_calls()) {
    if (name == row.name) {
      return &row;
    }
  }
  return nullptr;
}

std::vector<std::string> call_names() {
  std::vector<std::string> names{"present"};
  for (const CallKind& row : all_calls()) {
    names.emplace_back(row.name);
  }
  return names;
}

bool fits(char letter, const Kind& kind) {
  if (kind.is(Tag::kUnion)) {
    return std::all_of(kind.parts.begin(), kind.parts.end(), [&](const Kind& part) { return fits(letter, part); });
  }
  const bool maybe = kind.is(Tag::kMaybe) || kind.is(Tag::kNone);
  const Kind& payload = kind.is(Tag::kMaybe) ? kind.parts[0] : kind;
  switch (letter) {
    case 'i':
      return kind.is(Tag::kInt);
    case 'b':
      return kind.is(Tag::kBool);
    case 's':
      return kind.is(Tag::kSeq);
    case 'B':
      return kind.is(Tag::kSeq) && (kind.parts.empty() || kind.parts[0].is(Tag::kBool));
    case 'd':
    case 'p':
      return kind.is(Tag::kNone) || payload.is(Tag::kInt) || payload.is(Tag::kSeq) ||
             (maybe && payload.is(Tag::kUnion) && fits(letter, payload));
    case 't':
      return kind.is(Tag::kDtype) || kind.is(Tag::kStr);
    case 'w':
      return kind.is(Tag::kNone) || payload.is(Tag::kDtype) || payload.is(Tag::kStr);
    case 'v':
      return is_number(kind) || kind.is(Tag::kBool);
    case 'm':
      return kind.is(Tag::kStr);
    case 'l':
      return kind.is(Tag::kAdt);
    default:
      return true;
  }
}

}  // namespace opyard
