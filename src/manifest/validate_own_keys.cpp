#include "manifest/validate_own_keys.h"

#include <algorithm>
#include <set>

#include "error/nearest_name.h"
#include "manifest/fields.h"
#include "manifest/param_type.h"
#include "manifest/read_tensors.h"
#include "manifest/reference_text.h"

namespace opyard {
namespace {

using Names = std::vector<std::string>;

template <class Declarations>
void add_names(Names& names, const Declarations& declarations) {
  for (const auto& declaration : declarations) {
    names.push_back(declaration.name);
  }
}

void require_name(const std::string& name, const Names& known, Mark mark, const Place& place, const char* what) {
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    fail_manifest(place, mark, "'" + name + "' is no " + what, std::string(what) + nearest_name(name, known), name);
  }
}

void check_parallel(const Schema& schema, Faults& faults) {
  const Place place = place_in(schema, "parallel");
  expect_kind(schema.parallel, Node::Kind::kList, place);
  Names dims;
  for (const IndexDecl& index : schema.forall) {
    if (index.kind.text == "Dim" || index.kind.text == "Shape") {
      dims.push_back(index.name);
    }
  }
  std::set<std::string> seen;
  for (const Node& item : schema.parallel.items) {
    faults.gather([&] {
      const std::string name = text_of(item, place).text;
      require_name(name, dims, item.mark, place, "Dim or Shape of forall");
      if (!seen.insert(name).second) {
        fail_manifest(place, item.mark, "a dim is named twice", "", name);
      }
    });
  }
}

/// Every dtype that a tensor of a call may have.
Names declared_dtypes(const Schema& schema) {
  Names dtypes;
  const auto add_union = [&](const std::string& text) {
    for (const std::string& part : split_union(text)) {
      if (is_dtype_name(part)) {
        dtypes.push_back(part);
      } else if (part == "torch.dtype") {
        dtypes.insert(dtypes.end(), dtype_names().begin(), dtype_names().end());
      }
    }
  };
  for (const IndexDecl& index : schema.forall) {
    const std::string& kind = index.kind.text;
    if (kind.rfind("DType[", 0) == 0 && kind.back() == ']') {
      add_union(kind.substr(6, kind.size() - 7));
    }
  }
  for (const ParamDecl& param : schema.params) {
    add_union(param.type.text);
  }
  for (const auto* tensors : {&schema.inputs, &schema.outputs}) {
    for (const TensorDecl& tensor : *tensors) {
      add_union(tensor.dtype.text);
      if (tensor.dtype.text.find("promote_int_to_float") != std::string::npos) {
        dtypes.emplace_back("float32");
      }
    }
  }
  return dtypes;
}

void check_tolerance(const Schema& schema, Faults& faults) {
  const Place place = place_in(schema, "tolerance");
  expect_kind(schema.tolerance, Node::Kind::kMap, place);
  const Names dtypes = declared_dtypes(schema);
  for (std::size_t i = 0; i < schema.tolerance.keys.size(); ++i) {
    const Node& value = schema.tolerance.items[i];
    faults.gather([&] {
      require_name(schema.tolerance.keys[i], dtypes, schema.tolerance.key_marks[i], place, "dtype of this entry");
      const bool number = value.kind == Node::Kind::kInt || value.kind == Node::Kind::kFloat;
      const double size = value.kind == Node::Kind::kInt ? static_cast<double>(value.integer) : value.number;
      if (!number || !(size >= 0 && size < 1e30)) {
        fail_manifest(place, value.mark, "a tolerance is a number from 0", "such as 1.0e-5", to_text(value));
      }
    });
  }
}

void check_reference(const Schema& schema) {
  const Place place = place_in(schema, "reference");
  const Text text = text_of(schema.reference, place);
  Names names;
  add_names(names, schema.inputs);
  add_names(names, schema.params);
  check_reference_text(text, names, place);
}

Names outputs_as_gradients(const Schema& schema) {
  Names names;
  for (const TensorDecl& output : schema.outputs) {
    names.push_back("grad(" + output.name + ")");
  }
  return names;
}

/// A number, a truth value, or a string in single quotes: an argument that is the same in every call.
bool is_literal(const Node& item) {
  using Kind = Node::Kind;
  if (item.kind == Kind::kBool || item.kind == Kind::kInt || item.kind == Kind::kFloat) {
    return true;
  }
  const std::string& text = item.text;
  return item.is_string() && text.size() > 1 && text.front() == '\'' && text.back() == '\'';
}

/// Each item is one name, or several.
void check_gives(const Node& gives, const Names& inputs, const Place& place, Faults& faults) {
  expect_kind(gives, Node::Kind::kMap, place);
  for (const Node& item : gives.items) {
    for (const Node& name : item.is_list() ? item.items : std::vector<Node>{item}) {
      faults.gather([&] { require_name(text_of(name, place).text, inputs, name.mark, place, "input of this entry"); });
    }
  }
}

void check_given(const Node& given, const Names& known, const Place& place, Faults& faults) {
  expect_kind(given, Node::Kind::kMap, place);
  for (const Node& item : given.items) {
    if (!is_literal(item)) {
      faults.gather([&] {
        require_name(text_of(item, place).text, known, item.mark, place,
                     "literal, input, output, parameter, grad(output) or needs(input) of this entry");
      });
    }
  }
}

void check_backward(const Schema& schema, Faults& faults) {
  const Place place = place_in(schema, "backward");
  if (schema.backward.is_string() && schema.backward.text == "aten") {
    return;
  }
  Fields fields(schema.backward, place, faults);
  const Text op = fields.required_text("op");
  const Node* given = fields.require("given");
  const Node* gives = fields.require("gives");
  fields.finish();
  if (!op.empty() && !is_identifier(op.text)) {
    fields.fail("op", *schema.backward.find("op"), "an operator's name");
  }
  Names inputs;
  add_names(inputs, schema.inputs);
  if (given != nullptr) {
    Names known = outputs_as_gradients(schema);
    known.insert(known.end(), inputs.begin(), inputs.end());
    add_names(known, schema.outputs);
    add_names(known, schema.params);
    for (const std::string& input : inputs) {
      known.push_back("needs(" + input + ")");
    }
    faults.gather([&] { check_given(*given, known, place, faults); });
  }
  if (gives != nullptr) {
    faults.gather([&] { check_gives(*gives, inputs, place, faults); });
  }
}

}  // namespace

void validate_own_keys(const Schema& schema, Faults& faults) {
  if (!schema.parallel.is_null()) {
    faults.gather([&] { check_parallel(schema, faults); });
  }
  if (!schema.tolerance.is_null()) {
    faults.gather([&] { check_tolerance(schema, faults); });
  }
  if (!schema.reference.is_null()) {
    faults.gather([&] { check_reference(schema); });
  }
  if (!schema.backward.is_null()) {
    faults.gather([&] { check_backward(schema, faults); });
  }
}

}  // namespace opyard
