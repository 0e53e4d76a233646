#include "manifest/validate_shapes.h"

#include <algorithm>

#include "error/nearest_name.h"

namespace opyard {
namespace {

using Op = Expression::Op;
using Tag = Kind::Tag;

}  // namespace

void ShapeValidator::check_shape(const Text& text, const KindScope& scope, const std::string& what) {
  const Expression shape = parse_shape(text, entry_.place(what));
  if (shape.is(Op::kFamily)) {
    check_application(shape, text, scope, what);
    return;
  }
  for (const Expression& element : shape.kids) {
    const bool splice = element.is(Op::kStar);
    const Kind kind = infer_kind(splice ? element.kids[0] : element, scope, text, entry_.place(what));
    const bool fits =
        splice ? kind.is(Tag::kSeq) && (kind.parts.empty() || kind.parts[0].is(Tag::kInt)) : kind.is(Tag::kInt);
    if (!fits) {
      fail_manifest(entry_.place(what), text.at(element.offset),
                    "an element of a shape has the wrong kind: " + text.text, splice ? "Seq[Int] after *" : "Int",
                    to_text(kind));
    }
  }
}

void ShapeValidator::check_application(const Expression& shape, const Text& text, const KindScope& scope,
                                       const std::string& what) {
  const Place place = entry_.place(what);
  const std::vector<FamilyDecl>& families = entry_.schema.families;
  const auto family = std::find_if(families.begin(), families.end(),
                                   [&](const FamilyDecl& candidate) { return candidate.name == shape.text; });
  applied_.insert(shape.text);
  if (entry_.faults.is_faulty(shape.text)) {
    throw ReadsFaultyName{};
  }
  if (family == families.end()) {
    std::vector<std::string> known;
    for (const FamilyDecl& candidate : families) {
      known.push_back(candidate.name);
    }
    fail_manifest(place, text.at(shape.offset), "no family has this name: " + text.text,
                  "a shape in brackets, or a family of 'types'" + nearest_name(shape.text, known), shape.text);
  }
  if (family->formals.size() != shape.kids.size()) {
    fail_manifest(place, text.mark, "another number of arguments for the family: " + text.text,
                  std::to_string(family->formals.size()), std::to_string(shape.kids.size()));
  }
  for (std::size_t i = 0; i < shape.kids.size(); ++i) {
    const Kind declared = formal_kind(family->formals[i], "types " + family->name);
    const Kind given = infer_kind(shape.kids[i], scope, text, place);
    if (!accepts(declared, given)) {
      fail_manifest(place, text.at(shape.kids[i].offset),
                    "the argument '" + family->formals[i].name + "' of the family has another kind: " + text.text,
                    to_text(declared), to_text(given));
    }
  }
}

Kind ShapeValidator::formal_kind(const IndexDecl& formal, const std::string& what) const {
  const std::string& kind = formal.kind.text;
  static const std::map<std::string, Kind> kPlain{{"Dim", int_kind()},
                                                  {"Int", int_kind()},
                                                  {"Bool", bool_kind()},
                                                  {"Shape", seq_kind(int_kind())},
                                                  {"Axes", seq_kind(int_kind())},
                                                  {"Str", str_kind({})},
                                                  {"Value", value_kind()},
                                                  {"DType", dtype_kind({})},
                                                  {"Seq", {.tag = Tag::kSeq}}};
  if (const auto plain = kPlain.find(kind); plain != kPlain.end()) {
    return plain->second;
  }
  const std::size_t open = kind.find('[');
  const bool brackets = open != std::string::npos && kind.back() == ']';
  const std::string outer = brackets ? kind.substr(0, open) : "";
  if (outer == "Seq" || outer == "Maybe") {
    const IndexDecl inner{formal.name, {kind.substr(open + 1, kind.size() - open - 2), formal.kind.mark}};
    return {.tag = outer == "Seq" ? Tag::kSeq : Tag::kMaybe, .parts = {formal_kind(inner, what)}};
  }
  if (outer == "DType") {
    return dtype_kind(dtypes_of_index(formal, entry_.place(what)));
  }
  return kind_of(parse_param_type(formal.kind, entry_.schema.adts, entry_.place(what)));
}

void ShapeValidator::check_families() {
  const auto is_sound = [&](const FamilyDecl& family) { return !entry_.faults.is_faulty(family.name); };
  for (const FamilyDecl& family : entry_.schema.families) {
    if (is_sound(family)) {
      entry_.faults.gather([&] { check_family(family); });
    }
  }
  for (const FamilyDecl& family : entry_.schema.families) {
    if (applied_.count(family.name) == 0) {
      entry_.faults.gather([&] {
        fail_manifest(entry_.place("types " + family.name), family.mark, "no shape applies the family", "", family.name,
                      "apply it, or remove it");
      });
    }
  }
}

void ShapeValidator::check_family(const FamilyDecl& family) {
  const std::string what = "types " + family.name;
  KindScope scope;
  scope.adts = &entry_.schema.adts;
  for (const IndexDecl& formal : family.formals) {
    scope.names[formal.name] = formal_kind(formal, what);
  }
  std::vector<Kind> matched;
  for (const Text& match : family.match) {
    const Kind kind = entry_.infer(match, scope, what);
    matched.push_back(kind);
    const bool is_enum = kind.is(Tag::kStr) && !kind.members.empty();
    if (!kind.is(Tag::kBool) && !kind.is(Tag::kAdt) && !is_enum) {
      fail_manifest(entry_.place(what), match.mark, "a family matches a Bool, an enum or an algebraic data type", "",
                    to_text(kind));
    }
  }
  for (const FamilyDecl::Case& item : family.cases) {
    entry_.faults.gather([&] { check_case(item, matched, scope, what); });
  }
}

void ShapeValidator::check_case(const FamilyDecl::Case& item, const std::vector<Kind>& matched, const KindScope& scope,
                                const std::string& what) {
  check_shape(item.is, scope, what);
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (!pattern_fits(item.when[i], matched[i])) {
      fail_manifest(entry_.place(what), item.when[i].mark, "the pattern never matches", to_text(matched[i]),
                    to_text(item.when[i]));
    }
  }
}

bool ShapeValidator::pattern_fits(const Node& pattern, const Kind& kind) const {
  if (pattern.is_string() && pattern.text == "_") {
    return true;
  }
  if (kind.is(Tag::kBool)) {
    return pattern.kind == Node::Kind::kBool;
  }
  if (kind.is(Tag::kStr)) {
    return pattern.is_string() && kind.members.count(pattern.text) > 0;
  }
  return kind.is(Tag::kAdt) && pattern.is_map() && pattern.keys.size() == 1 && constructor_fits(pattern, kind);
}

bool ShapeValidator::constructor_fits(const Node& pattern, const Kind& kind) const {
  for (const AdtDecl& adt : entry_.schema.adts) {
    for (const AdtDecl::Constructor& constructor : adt.constructors) {
      if (kind.members.count(adt.name) > 0 && constructor.name == pattern.keys[0]) {
        return fields_fit(pattern.items[0], constructor);
      }
    }
  }
  return false;
}

bool ShapeValidator::fields_fit(const Node& pattern, const AdtDecl::Constructor& constructor) const {
  if (pattern.is_string()) {
    return pattern.text == "_";
  }
  for (std::size_t i = 0; i < pattern.keys.size(); ++i) {
    const auto field = std::find_if(constructor.fields.begin(), constructor.fields.end(),
                                    [&](const IndexDecl& candidate) { return candidate.name == pattern.keys[i]; });
    if (field == constructor.fields.end() || field->kind.text == "Dim" || field->kind.text == "int" ||
        !pattern_fits(pattern.items[i], kind_of(parse_param_type(field->kind, {}, entry_.place(field->name))))) {
      return false;
    }
  }
  return pattern.is_map();
}

}  // namespace opyard
