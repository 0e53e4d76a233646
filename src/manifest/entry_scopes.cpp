#include "manifest/entry_scopes.h"

#include <algorithm>
#include <functional>
#include <map>

#include "error/nearest_name.h"

namespace opyard {
namespace {

using Tag = Kind::Tag;

/// Shapes may not read parameters that are only numbers of any type, objects or free strings.
bool readable_in_shapes(const Kind& kind) {
  const Kind& payload = kind.is(Tag::kMaybe) ? kind.parts[0] : kind;
  return !payload.is(Tag::kValue) && !(payload.is(Tag::kStr) && payload.members.empty());
}

}  // namespace

std::set<std::string> dtypes_of_index(const IndexDecl& index, const Place& place) {
  const std::string& kind = index.kind.text;
  if (kind.rfind("DType[", 0) != 0 || kind.back() != ']') {
    return {};
  }
  std::set<std::string> names;
  for (const std::string& name : split_union(kind.substr(6, kind.size() - 7))) {
    if (!is_dtype_name(name)) {
      fail_manifest(place, index.kind.at(member_offset(kind, name)), "no such dtype",
                    "a dtype" + nearest_name(name, dtype_names()), name);
    }
    names.insert(name);
  }
  return names;
}

EntryScopes::EntryScopes(const Schema& schema_in, Faults& faults_in) : schema(schema_in), faults(faults_in) {
  shapes.adts = &schema.adts;
  shapes.faults = &faults;
  for (const ParamDecl& param : schema.params) {
    if (!param.is_tensor && !faults.gather([&] { declare_param(param); })) {
      faults.mark_faulty(param.name);
    }
  }
  for (const IndexDecl& index : schema.forall) {
    if (!faults.gather([&] { declare_index(index); })) {
      faults.mark_faulty(index.name);
    }
  }
  for (const auto* tensors : {&schema.construction_tensors, &schema.inputs, &schema.outputs}) {
    for (const TensorDecl& tensor : *tensors) {
      shapes.tensors.insert(tensor.name);
    }
  }
  shapes.tensors.insert("out");
  declare_lets();
  for (KindScope* scope : {&rules, &values}) {
    scope->adts = shapes.adts;
    scope->faults = shapes.faults;
    scope->tensors = shapes.tensors;
    scope->names.insert(shapes.names.begin(), shapes.names.end());
  }
  values.names.insert(rules.names.begin(), rules.names.end());
}

Kind EntryScopes::infer(const Text& text, const KindScope& scope, const std::string& what) const {
  return infer_kind(parse_expression(text, place(what)), scope, text, place(what));
}

void EntryScopes::require_bool(const Text& text, const KindScope& scope, const std::string& what) const {
  const Kind kind = infer(text, scope, what);
  if (!kind.is(Tag::kBool)) {
    fail_manifest(place(what), text.mark, "a rule or condition is a Bool: " + text.text, "Bool", to_text(kind));
  }
}

void EntryScopes::declare_param(const ParamDecl& param) {
  if (param.type.empty()) {
    return;
  }
  const Kind kind = kind_of(parse_param_type(param.type, schema.adts, place("parameter '" + param.name + "'")));
  rules.names[param.name] = kind;
  if (readable_in_shapes(kind)) {
    shapes.names[param.name] = kind;
  } else if (kind.is(Tag::kMaybe)) {
    shapes.tensors.insert(param.name);  // its presence may be asked for
  }
}

void EntryScopes::declare_index(const IndexDecl& index) {
  const std::string& kind = index.kind.text;
  const Place at = place("index '" + index.name + "'");
  if (kind == "Dim") {
    shapes.names[index.name] = int_kind();
  } else if (kind == "Shape") {
    shapes.names[index.name] = seq_kind(int_kind());
  } else if (kind == "Seq[Int]") {
    values.names[index.name] = seq_kind(int_kind());
  } else if (std::set<std::string> dtypes = dtypes_of_index(index, at); !dtypes.empty()) {
    shapes.names[index.name] = dtype_kind(std::move(dtypes));
  } else {
    fail_manifest(at, index.kind.mark, "no such kind of index",
                  "Dim, Shape, DType[…] or Seq[Int]" + nearest_name(kind, {"Dim", "Shape", "Seq[Int]"}), kind);
  }
}

/// In any order, each after those that it reads; one in a circle, or that reads what is not declared, is a fault.
void EntryScopes::declare_lets() {
  std::map<std::string, bool> done;  // false while the lets that it reads are declared
  const std::function<void(const LetDecl&)> declare = [&](const LetDecl& let) {
    if (const auto seen = done.find(let.name); seen != done.end()) {
      if (!seen->second) {
        fail_manifest(place("let " + let.name), let.value.mark, "lets depend on each other in a circle", "",
                      let.value.text);
      }
      return;
    }
    done[let.name] = false;
    const bool good = faults.gather([&] {
      for_each_name(parse_expression(let.value, place("let " + let.name)), [&](const std::string& name) {
        const auto other = std::find_if(schema.lets.begin(), schema.lets.end(),
                                        [&](const LetDecl& candidate) { return candidate.name == name; });
        if (other != schema.lets.end()) {
          declare(*other);
        }
      });
      shapes.names[let.name] = infer(let.value, shapes, "let " + let.name);
    });
    if (!good) {
      faults.mark_faulty(let.name);
    }
    done[let.name] = true;
  };
  for (const LetDecl& let : schema.lets) {
    declare(let);
  }
}

}  // namespace opyard
