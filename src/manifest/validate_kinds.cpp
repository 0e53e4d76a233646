#include "manifest/validate_kinds.h"

#include <algorithm>
#include <functional>

#include "manifest/generators.h"
#include "manifest/kinds.h"

namespace opyard {
namespace {

using Op = Expression::Op;
using Tag = Kind::Tag;

std::set<std::string> dtype_names(const std::string& kind) {
  const std::vector<std::string> parts = split_union(kind.substr(6, kind.size() - 7));
  return {parts.begin(), parts.end()};
}

class KindValidator {
 public:
  explicit KindValidator(const Schema& schema) : schema_(schema) {}

  void run() {
    declare_names();
    declare_lets();
    for (const LetDecl& let : schema_.lets) {
      infer(let.value, shape_scope_, "let " + let.name);
    }
    for (std::size_t i = 0; i < schema_.rules.size(); ++i) {
      require_bool(schema_.rules[i].rule, rule_scope_, "shape_rules[" + std::to_string(i) + "]");
    }
    for (const auto* tensors : {&schema_.construction_tensors, &schema_.inputs, &schema_.outputs}) {
      for (const TensorDecl& tensor : *tensors) {
        check_tensor(tensor);
      }
    }
    for (const FamilyDecl& family : schema_.families) {
      check_family(family);
    }
    for (const FamilyDecl& family : schema_.families) {
      if (applied_.count(family.name) == 0) {
        fail_manifest(place("types " + family.name), family.mark, "no shape applies the family");
      }
    }
  }

 private:
  Place place(const std::string& what) const { return place_in(schema_, what); }

  Kind infer(const Text& text, const KindScope& scope, const std::string& what) const {
    return infer_kind(parse_expression(text, place(what)), scope, text, place(what));
  }

  void require_bool(const Text& text, const KindScope& scope, const std::string& what) const {
    const Kind kind = infer(text, scope, what);
    if (!kind.is(Tag::kBool)) {
      fail_manifest(place(what), text.mark, "a rule or condition is a Bool: " + text.text, "Bool", to_text(kind));
    }
  }

  /// Shapes may not read parameters that are only numbers of any type, objects or free strings.
  static bool readable_in_shapes(const Kind& kind) {
    const Kind& payload = kind.is(Tag::kMaybe) ? kind.parts[0] : kind;
    return !payload.is(Tag::kValue) && !(payload.is(Tag::kStr) && payload.members.empty());
  }

  void declare_names() {
    shape_scope_.adts = &schema_.adts;
    for (const ParamDecl& param : schema_.params) {
      if (param.is_tensor) {
        continue;
      }
      const Kind kind = kind_of(parse_param_type(param.type, schema_.adts, place("parameter '" + param.name + "'")));
      rule_scope_.names[param.name] = kind;
      if (readable_in_shapes(kind)) {
        shape_scope_.names[param.name] = kind;
      } else if (kind.is(Tag::kMaybe)) {
        shape_scope_.tensors.insert(param.name);  // its presence may be asked for
      }
    }
    for (const IndexDecl& index : schema_.forall) {
      declare_index(index);
    }
    for (const auto* tensors : {&schema_.construction_tensors, &schema_.inputs, &schema_.outputs}) {
      for (const TensorDecl& tensor : *tensors) {
        shape_scope_.tensors.insert(tensor.name);
      }
    }
    shape_scope_.tensors.insert("out");
  }

  void declare_index(const IndexDecl& index) {
    const std::string& kind = index.kind.text;
    if (kind == "Dim") {
      shape_scope_.names[index.name] = int_kind();
    } else if (kind == "Shape") {
      shape_scope_.names[index.name] = seq_kind(int_kind());
    } else if (kind.rfind("DType[", 0) == 0 && kind.back() == ']') {
      shape_scope_.names[index.name] = dtype_kind(dtype_names(kind));
    } else if (kind != "Seq[Int]") {
      fail_manifest(place("index '" + index.name + "'"), index.kind.mark, "no such kind of index",
                    "Dim, Shape, DType[…] or Seq[Int]", kind);
    }
  }

  /// In any order; what is left in a circle, or reads what is not declared, is an error of its own text.
  void declare_lets() {
    std::vector<const LetDecl*> waiting;
    for (const LetDecl& let : schema_.lets) {
      waiting.push_back(&let);
    }
    for (bool changed = true; changed;) {
      changed = false;
      std::erase_if(waiting, [&](const LetDecl* let) {
        bool ready = true;
        for_each_name(parse_expression(let->value, place("let " + let->name)), [&](const std::string& name) {
          ready = ready && std::none_of(waiting.begin(), waiting.end(),
                                        [&](const LetDecl* other) { return other->name == name; });
        });
        if (ready) {
          shape_scope_.names[let->name] = infer(let->value, shape_scope_, "let " + let->name);
          changed = true;
        }
        return ready;
      });
    }
    if (!waiting.empty()) {
      fail_manifest(place("let " + waiting[0]->name), waiting[0]->value.mark, "lets depend on each other in a circle",
                    "", waiting[0]->value.text);
    }
    rule_scope_.adts = shape_scope_.adts;
    rule_scope_.tensors = shape_scope_.tensors;
    rule_scope_.names.insert(shape_scope_.names.begin(), shape_scope_.names.end());
  }

  void check_tensor(const TensorDecl& tensor) {
    const std::string what = "tensor '" + tensor.name + "'";
    check_shape(tensor.shape, shape_scope_, what + " shape");
    KindScope dtypes = shape_scope_;
    for_each_name(parse_expression(tensor.dtype, place(what + " dtype")), [&](const std::string& name) {
      if (is_dtype_name(name)) {
        dtypes.names.emplace(name, dtype_kind({name}));
      }
    });
    const Kind dtype = infer(tensor.dtype, dtypes, what + " dtype");
    if (!dtype.is(Tag::kDtype)) {
      fail_manifest(place(what + " dtype"), tensor.dtype.mark, "a tensor's dtype is a dtype", "DType", to_text(dtype));
    }
    for (const Text* condition : {&tensor.present_when, &tensor.mutated, &tensor.nullable}) {
      if (!condition->empty()) {
        require_bool(*condition, shape_scope_, what);
      }
    }
    check_callee(tensor.values, is_generator, what + " values");
    for (const Text& requirement : tensor.requirements) {
      check_callee(requirement, is_predicate, what + " requires");
    }
  }

  void check_callee(const Text& text, bool (*known)(const std::string&), const std::string& what) const {
    if (text.empty()) {
      return;
    }
    const Expression call = parse_expression(text, place(what));
    if (!call.is(Op::kCall) || !call.keywords.empty() || !known(call.text)) {
      fail_manifest(place(what), text.mark, "no such function, or no plain call of it", "", text.text);
    }
  }

  void check_shape(const Text& text, const KindScope& scope, const std::string& what) {
    const Expression shape = parse_shape(text, place(what));
    if (shape.is(Op::kFamily)) {
      check_application(shape, text, scope, what);
      return;
    }
    for (const Expression& element : shape.kids) {
      const bool splice = element.is(Op::kStar);
      const Kind kind = infer_kind(splice ? element.kids[0] : element, scope, text, place(what));
      const bool fits =
          splice ? kind.is(Tag::kSeq) && (kind.parts.empty() || kind.parts[0].is(Tag::kInt)) : kind.is(Tag::kInt);
      if (!fits) {
        fail_manifest(place(what), text.mark, "an element of a shape has the wrong kind: " + text.text,
                      splice ? "Seq[Int] after *" : "Int", to_text(kind));
      }
    }
  }

  void check_application(const Expression& shape, const Text& text, const KindScope& scope, const std::string& what) {
    const auto family = std::find_if(schema_.families.begin(), schema_.families.end(),
                                     [&](const FamilyDecl& candidate) { return candidate.name == shape.text; });
    if (family == schema_.families.end() || family->formals.size() != shape.kids.size()) {
      fail_manifest(place(what), text.mark, "no such family, or another number of arguments", "", text.text);
    }
    applied_.insert(shape.text);
    for (const Expression& argument : shape.kids) {
      infer_kind(argument, scope, text, place(what));
    }
  }

  Kind formal_kind(const IndexDecl& formal, const std::string& what) const {
    const std::string& kind = formal.kind.text;
    if (kind == "Dim" || kind == "Int") {
      return int_kind();
    }
    if (kind == "Bool") {
      return bool_kind();
    }
    if (kind == "Shape" || kind.rfind("Seq", 0) == 0 || kind == "Axes") {
      return seq_kind(int_kind());
    }
    if (kind == "Str") {
      return str_kind({});
    }
    if (kind == "Value") {
      return value_kind();
    }
    if (kind.rfind("DType", 0) == 0) {
      return dtype_kind({});
    }
    if (kind.rfind("Maybe[", 0) == 0 && kind.back() == ']') {
      const IndexDecl inner{formal.name, {kind.substr(6, kind.size() - 7), formal.kind.mark}};
      return {.tag = Tag::kMaybe, .parts = {formal_kind(inner, what)}};
    }
    return kind_of(parse_param_type(formal.kind, schema_.adts, place(what)));
  }

  void check_family(const FamilyDecl& family) {
    const std::string what = "types " + family.name;
    KindScope scope;
    scope.adts = &schema_.adts;
    for (const IndexDecl& formal : family.formals) {
      scope.names[formal.name] = formal_kind(formal, what);
    }
    std::vector<Kind> matched;
    for (const Text& match : family.match) {
      const Kind kind = infer(match, scope, what);
      matched.push_back(kind);
      const bool is_enum = kind.is(Tag::kStr) && !kind.members.empty();
      if (!kind.is(Tag::kBool) && !kind.is(Tag::kAdt) && !is_enum) {
        fail_manifest(place(what), match.mark, "a family matches a Bool, an enum or an algebraic data type", "",
                      to_text(kind));
      }
    }
    for (const FamilyDecl::Case& item : family.cases) {
      check_shape(item.is, scope, what);
      for (std::size_t i = 0; i < matched.size(); ++i) {
        if (!pattern_fits(item.when[i], matched[i])) {
          fail_manifest(place(what), item.when[i].mark, "the pattern never matches", to_text(matched[i]),
                        to_text(item.when[i]));
        }
      }
    }
  }

  bool pattern_fits(const Node& pattern, const Kind& kind) const {
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

  bool constructor_fits(const Node& pattern, const Kind& kind) const {
    for (const AdtDecl& adt : schema_.adts) {
      for (const AdtDecl::Constructor& constructor : adt.constructors) {
        if (kind.members.count(adt.name) > 0 && constructor.name == pattern.keys[0]) {
          return fields_fit(pattern.items[0], constructor);
        }
      }
    }
    return false;
  }

  bool fields_fit(const Node& pattern, const AdtDecl::Constructor& constructor) const {
    if (pattern.is_string()) {
      return pattern.text == "_";
    }
    for (std::size_t i = 0; i < pattern.keys.size(); ++i) {
      const auto field = std::find_if(constructor.fields.begin(), constructor.fields.end(),
                                      [&](const IndexDecl& candidate) { return candidate.name == pattern.keys[i]; });
      if (field == constructor.fields.end() || field->kind.text == "Dim" || field->kind.text == "int" ||
          !pattern_fits(pattern.items[i], kind_of(parse_param_type(field->kind, {}, place(field->name))))) {
        return false;
      }
    }
    return pattern.is_map();
  }

  const Schema& schema_;
  KindScope shape_scope_;
  KindScope rule_scope_;
  std::set<std::string> applied_;  // families
};

}  // namespace

void validate_kinds(const Schema& schema) { KindValidator(schema).run(); }

}  // namespace opyard
