#include "manifest/read_tensors.h"

#include <cctype>

#include "manifest/fields.h"

namespace opyard {
namespace {

std::vector<IndexDecl> read_formals(const Node& node, const Place& place) {
  expect_kind(node, Node::Kind::kMap, place);
  std::vector<IndexDecl> formals;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (!is_identifier(node.keys[i])) {
      fail_manifest(place, node.key_marks[i], "a name that is no identifier", "", node.keys[i]);
    }
    formals.push_back({node.keys[i], text_of(node.items[i], place)});
  }
  return formals;
}

FamilyDecl::Case read_case(const Node& node, std::size_t components, const Place& place) {
  Fields fields(node, place);
  FamilyDecl::Case result;
  const Node& when = fields.require("when");
  if (components == 1 && !when.is_list()) {
    result.when.push_back(when);
  } else {
    expect_kind(when, Node::Kind::kList, place);
    result.when = when.items;
  }
  if (result.when.size() != components) {
    fail_manifest(place, when.mark, "a case has one pattern for each matched expression", std::to_string(components),
                  std::to_string(result.when.size()));
  }
  result.is = fields.required_text("is");
  fields.finish();
  return result;
}

FamilyDecl read_family(const std::string& name, const Node& node, const Place& place) {
  Fields fields(node, place);
  FamilyDecl family{.name = name, .mark = node.mark};
  family.formals = read_formals(fields.require("params"), place);
  const Node& match = fields.require("match");
  if (match.is_list()) {
    for (const Node& item : match.items) {
      family.match.push_back(text_of(item, place));
    }
  } else {
    family.match.push_back(text_of(match, place));
  }
  const Node& cases = fields.require("cases");
  expect_kind(cases, Node::Kind::kList, place);
  for (const Node& item : cases.items) {
    family.cases.push_back(read_case(item, family.match.size(), place));
  }
  if (family.cases.empty() || family.match.empty()) {
    fail_manifest(place, node.mark, "a family has at least one case and one matched expression");
  }
  fields.finish();
  return family;
}

AdtDecl::Constructor read_constructor(const std::string& name, const Node& node, const Place& place) {
  Fields fields(node, place);
  AdtDecl::Constructor constructor{.name = name, .python = fields.string("python")};
  if (constructor.python.empty()) {
    fail_manifest(place, node.mark, "a constructor names its Python class", "the key 'python'");
  }
  if (const Node* members = fields.find("fields")) {
    expect_kind(*members, Node::Kind::kMap, place);
    for (std::size_t i = 0; i < members->items.size(); ++i) {
      const Node& type = members->items[i];
      if (type.is_map()) {
        Fields parts(type, place);
        constructor.fields.push_back({members->keys[i], parts.required_text("type")});
        parts.string("python");
        parts.finish();
      } else {
        constructor.fields.push_back({members->keys[i], text_of(type, place)});
      }
    }
  }
  constructor.invariant = fields.text("invariant");
  fields.finish();
  return constructor;
}

}  // namespace

bool is_identifier(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    return false;
  }
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
      return false;
    }
  }
  static const std::set<std::string> kReserved{"if", "else", "and",  "or",     "not",   "in",   "for",
                                               "is", "inf",  "True", "lambda", "False", "None", "present"};
  return kReserved.count(text) == 0;
}

void NameTable::add(const std::string& name, const Node& owner, std::size_t i, const Place& place) {
  if (!is_identifier(name)) {
    fail_manifest(place, owner.key_marks[i], "a name that is no identifier", "letters, digits and _", name);
  }
  if (!names_.insert(name).second) {
    fail_manifest(place, owner.key_marks[i], "the name '" + name + "' is declared twice in this entry", "", name,
                  "forall, params, inputs, outputs and let share one set of names");
  }
}

TensorDecl read_tensor(const std::string& name, const Node& node, TensorRole role, const Place& place) {
  Fields fields(node, place);
  TensorDecl tensor{.name = name, .mark = node.mark};
  tensor.dtype = fields.required_text("dtype");
  tensor.shape = fields.required_text("shape");
  tensor.contiguous = fields.flag("contiguous");
  if (role != TensorRole::kOutput) {
    if (const Node* optional = fields.find("optional"); optional != nullptr && optional->kind == Node::Kind::kBool) {
      if (optional->integer == 0) {
        fields.fail("optional", *optional, "true, or a condition; leave the key out for a required tensor");
      }
      tensor.optional = true;
    } else {
      tensor.present_when = fields.text("optional");
    }
    const std::string device = fields.string("device");
    if (!device.empty() && device != "cpu") {
      fields.fail("device", *fields.find("device"), "cpu");
    }
    tensor.on_cpu = device == "cpu";
    tensor.values = fields.text("values");
    if (const Node* requirements = fields.find("requires")) {
      expect_kind(*requirements, Node::Kind::kList, place);
      for (const Node& item : requirements->items) {
        tensor.requirements.push_back(text_of(item, place));
      }
    }
  }
  if (role == TensorRole::kInput) {
    tensor.kw_only = fields.flag("kw_only");
    tensor.mutated = fields.condition("mutated");
    tensor.write_only = fields.flag("write_only");
  }
  if (role == TensorRole::kOutput) {
    tensor.nullable = fields.text("nullable");
    const std::string buffer = fields.string("buffer");
    if (!buffer.empty() && buffer != "out") {
      fields.fail("buffer", *fields.find("buffer"), "out");
    }
    tensor.buffer = buffer == "out";
    tensor.alias = fields.string("alias");
  }
  if (role != TensorRole::kConstruction) {
    fields.finish();
  }
  return tensor;
}

std::vector<FamilyDecl> read_families(const Node& node, const Place& place) {
  expect_kind(node, Node::Kind::kMap, place);
  std::vector<FamilyDecl> families;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Place family = place;
    family.what = "types " + node.keys[i];
    families.push_back(read_family(node.keys[i], node.items[i], family));
  }
  return families;
}

std::vector<AdtDecl> read_adts(const Node& node) {
  std::vector<AdtDecl> adts;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Place place{"types.yaml", "", node.keys[i]};
    Fields fields(node.items[i], place);
    AdtDecl adt{.name = node.keys[i], .mark = node.key_marks[i]};
    const Node& sum = fields.require("sum");
    fields.finish();
    expect_kind(sum, Node::Kind::kMap, place);
    for (std::size_t k = 0; k < sum.items.size(); ++k) {
      adt.constructors.push_back(read_constructor(sum.keys[k], sum.items[k], place));
    }
    if (adt.constructors.empty()) {
      fail_manifest(place, sum.mark, "an algebraic data type has at least one constructor");
    }
    adts.push_back(std::move(adt));
  }
  return adts;
}

}  // namespace opyard
