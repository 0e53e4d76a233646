#include "manifest/read_tensors.h"

#include <cctype>

#include "manifest/fields.h"

namespace opyard {
namespace {

constexpr std::size_t kMostNames = 500;  // forall, params, inputs, outputs and let of one entry

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

FamilyDecl::Case read_case(const Node& node, std::size_t components, const Place& place, Faults& faults) {
  Fields fields(node, place, faults);
  FamilyDecl::Case result;
  const Node* when = fields.require("when");
  result.is = fields.required_text("is");
  fields.finish();
  if (when == nullptr) {
    return result;
  }
  if (components == 1 && !when->is_list()) {
    result.when.push_back(*when);
  } else {
    expect_kind(*when, Node::Kind::kList, place);
    result.when = when->items;
  }
  if (result.when.size() != components) {
    fail_manifest(place, when->mark, "a case has one pattern for each matched expression", std::to_string(components),
                  std::to_string(result.when.size()));
  }
  return result;
}

FamilyDecl read_family(const std::string& name, const Node& node, const Place& place, Faults& faults) {
  Fields fields(node, place, faults);
  FamilyDecl family{.name = name, .mark = node.mark};
  if (const Node* formals = fields.require("params")) {
    faults.gather([&] { family.formals = read_formals(*formals, place); });
  }
  const Node* match = fields.require("match");
  const Node* cases = fields.require("cases");
  fields.finish();
  if (match == nullptr || cases == nullptr) {
    return family;
  }
  for (const Node& item : match->is_list() ? match->items : std::vector<Node>{*match}) {
    family.match.push_back(text_of(item, place));
  }
  expect_kind(*cases, Node::Kind::kList, place);
  for (const Node& item : cases->items) {
    faults.gather([&] { family.cases.push_back(read_case(item, family.match.size(), place, faults)); });
  }
  if (cases->items.empty() || family.match.empty()) {
    fail_manifest(place, node.mark, "a family has at least one case and one matched expression");
  }
  return family;
}

IndexDecl read_field(const std::string& name, const Node& type, const Place& place, Faults& faults) {
  if (!type.is_map()) {
    return {name, text_of(type, place)};
  }
  Fields parts(type, place, faults);
  IndexDecl field{name, parts.required_text("type")};
  parts.string("python");
  parts.finish();
  return field;
}

AdtDecl::Constructor read_constructor(const std::string& name, const Node& node, const Place& place, Faults& faults) {
  Fields fields(node, place, faults);
  AdtDecl::Constructor constructor{.name = name, .python = fields.required_text("python").text};
  if (const Node* members = fields.find("fields")) {
    expect_kind(*members, Node::Kind::kMap, place);
    for (std::size_t i = 0; i < members->items.size(); ++i) {
      faults.gather(
          [&] { constructor.fields.push_back(read_field(members->keys[i], members->items[i], place, faults)); });
    }
  }
  constructor.invariant = fields.text("invariant");
  fields.finish();
  return constructor;
}

AdtDecl read_adt(const std::string& name, Mark mark, const Node& node, const Place& place, Faults& faults) {
  Fields fields(node, place, faults);
  AdtDecl adt{.name = name, .mark = mark};
  const Node* sum = fields.require("sum");
  fields.finish();
  if (sum == nullptr) {
    return adt;
  }
  expect_kind(*sum, Node::Kind::kMap, place);
  for (std::size_t k = 0; k < sum->items.size(); ++k) {
    faults.gather([&] { adt.constructors.push_back(read_constructor(sum->keys[k], sum->items[k], place, faults)); });
  }
  if (sum->items.empty()) {
    fail_manifest(place, sum->mark, "an algebraic data type has at least one constructor");
  }
  return adt;
}

/// `optional`, `device`, `values` and `requires`, which outputs do not have.
void read_given(TensorDecl& tensor, Fields& fields, const Place& place, Faults& faults) {
  const Node* optional = fields.find("optional");
  if (optional != nullptr && optional->kind == Node::Kind::kBool) {
    tensor.optional = optional->integer != 0;
    if (!tensor.optional) {
      fields.fail("optional", *optional, "true, or a condition; leave the key out for a required tensor");
    }
  } else {
    tensor.present_when = fields.text("optional");
  }
  const std::string device = fields.string("device");
  tensor.on_cpu = device == "cpu";
  if (!device.empty() && !tensor.on_cpu) {
    fields.fail("device", *fields.find("device"), "cpu");
  }
  tensor.values = fields.text("values");
  if (const Node* requirements = fields.find("requires")) {
    expect_kind(*requirements, Node::Kind::kList, place);
    for (const Node& item : requirements->items) {
      faults.gather([&] { tensor.requirements.push_back(text_of(item, place)); });
    }
  }
}

void read_output(TensorDecl& tensor, Fields& fields) {
  tensor.nullable = fields.text("nullable");
  const std::string buffer = fields.string("buffer");
  tensor.buffer = buffer == "out";
  if (!buffer.empty() && !tensor.buffer) {
    fields.fail("buffer", *fields.find("buffer"), "out");
  }
  tensor.alias = fields.string("alias");
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
  if (names_.size() >= kMostNames) {
    fail_manifest(place, owner.key_marks[i], "an entry with more than " + std::to_string(kMostNames) + " names");
  }
  if (!names_.insert(name).second) {
    fail_manifest(place, owner.key_marks[i], "the name '" + name + "' is declared twice in this entry", "", name,
                  "forall, params, inputs, outputs and let share one set of names");
  }
}

TensorDecl read_tensor(const std::string& name, const Node& node, TensorRole role, const Place& place, Faults& faults) {
  Fields fields(node, place, faults);
  TensorDecl tensor{.name = name, .mark = node.mark};
  tensor.dtype = fields.required_text("dtype");
  tensor.shape = fields.required_text("shape");
  tensor.contiguous = fields.flag("contiguous");
  if (role == TensorRole::kOutput) {
    read_output(tensor, fields);
  } else {
    read_given(tensor, fields, place, faults);
  }
  if (role == TensorRole::kInput) {
    tensor.kw_only = fields.flag("kw_only");
    tensor.mutated = fields.condition("mutated");
    tensor.write_only = fields.flag("write_only");
  }
  fields.finish();
  if (!fields.sound()) {
    faults.mark_faulty(name);
  }
  return tensor;
}

std::vector<FamilyDecl> read_families(const Node& node, const Place& place, Faults& faults) {
  expect_kind(node, Node::Kind::kMap, place);
  std::vector<FamilyDecl> families;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Place family = place;
    family.what = "types " + node.keys[i];
    const std::size_t before = faults.size();
    faults.gather([&] { families.push_back(read_family(node.keys[i], node.items[i], family, faults)); });
    if (faults.size() > before) {
      faults.mark_faulty(node.keys[i]);
    }
  }
  return families;
}

std::vector<AdtDecl> read_adts(const Node& node, const std::string& file, Faults& faults) {
  std::vector<AdtDecl> adts;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Place place{file, "", node.keys[i]};
    faults.gather([&] { adts.push_back(read_adt(node.keys[i], node.key_marks[i], node.items[i], place, faults)); });
  }
  return adts;
}

}  // namespace opyard
