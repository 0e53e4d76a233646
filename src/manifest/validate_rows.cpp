#include "manifest/validate_rows.h"

#include <algorithm>
#include <set>

#include "manifest/fields.h"
#include "manifest/param_type.h"

namespace opyard {
namespace {

std::set<std::string> tensor_names(const Schema& schema) {
  std::set<std::string> names{"out"};
  for (const auto* tensors : {&schema.construction_tensors, &schema.inputs, &schema.outputs}) {
    for (const TensorDecl& tensor : *tensors) {
      names.insert(tensor.name);
    }
  }
  return names;
}

std::set<std::string> value_names(const Schema& schema) {
  std::set<std::string> names;
  for (const IndexDecl& index : schema.forall) {
    if (index.kind.text != "Seq[Int]") {
      names.insert(index.name);
    }
  }
  for (const ParamDecl& param : schema.params) {
    names.insert(param.name);
  }
  for (const LetDecl& let : schema.lets) {
    names.insert(let.name);
  }
  return names;
}

/// Names are values, but for the tensors inside bytes(…) and present(…).
void check_formula(const Expression& expression, const Schema& schema, const Text& text) {
  const Place place = place_in(schema, "roofline");
  const bool of_tensor = expression.is(Expression::Op::kCall) &&
                         (expression.text == "bytes" || expression.text == "present") && expression.kids.size() == 1;
  const auto check = [&](const std::string& name, const std::set<std::string>& known) {
    if (known.count(name) == 0) {
      fail_manifest(place, text.mark, "'" + name + "' has no value here: " + text.text);
    }
  };
  if (of_tensor && expression.kids[0].is(Expression::Op::kName)) {
    std::set<std::string> known = tensor_names(schema);
    if (expression.text == "present") {
      known.merge(value_names(schema));
    }
    check(expression.kids[0].text, known);
    return;
  }
  if (expression.is(Expression::Op::kName)) {
    check(expression.text, value_names(schema));
  }
  if (!expression.is(Expression::Op::kComprehension)) {
    for (const Expression& kid : expression.kids) {
      check_formula(kid, schema, text);
    }
  }
}

void check_roofline(const Schema& schema) {
  if (schema.roofline.is_null()) {
    return;
  }
  const Place place = place_in(schema, "roofline");
  Fields fields(schema.roofline, place);
  const Text flops = fields.text("flops");
  const Text bytes = fields.text("bytes");
  const Text function = fields.text("func");
  fields.finish();
  if (flops.empty() == function.empty() || (flops.empty() && !bytes.empty())) {
    fail_manifest(place, schema.roofline.mark, "a roofline has either flops, perhaps with bytes, or func");
  }
  for (const Text* formula : {&flops, &bytes}) {
    if (!formula->empty()) {
      check_formula(parse_expression(*formula, place), schema, *formula);
    }
  }
}

void check_composition(const Schema& schema) {
  if (schema.composition.is_null()) {
    return;
  }
  const Place place = place_in(schema, "composition");
  Fields fields(schema.composition, place);
  if (fields.string("kind") != "composite") {
    fail_manifest(place, schema.composition.mark, "wrong kind of composition", "composite");
  }
  const Node& stages = fields.require("stages");
  fields.finish();
  expect_kind(stages, Node::Kind::kList, place);
  std::set<std::string> names;
  for (const Node& node : stages.items) {
    Fields stage(node, place);
    const std::string name = stage.string("name");
    const bool one = stage.string("op").empty() != stage.string("kernel").empty();
    stage.flag("optional");
    stage.finish();
    if (name.empty() || !one || !names.insert(name).second) {
      fail_manifest(place, node.mark, "a stage has a name of its own, and either op or kernel", "", to_text(node));
    }
  }
  if (stages.items.empty()) {
    fail_manifest(place, stages.mark, "a composition has at least one stage");
  }
}

bool is_dtype_column(const Schema& schema, const std::string& name) {
  const auto index = std::find_if(schema.forall.begin(), schema.forall.end(),
                                  [&](const IndexDecl& candidate) { return candidate.name == name; });
  if (index != schema.forall.end()) {
    return index->kind.text.rfind("DType[", 0) == 0;
  }
  const auto param = std::find_if(schema.params.begin(), schema.params.end(),
                                  [&](const ParamDecl& candidate) { return candidate.name == name; });
  if (param == schema.params.end() || param->is_tensor) {
    return false;
  }
  const ParamType type = parse_param_type(param->type, schema.adts, place_in(schema, name));
  return type.is_dtype() && !type.maybe;
}

void check_combos(const Schema& schema) {
  const Place place = place_in(schema, "dtype_combos");
  std::set<DtypeCombo> rows;
  std::set<std::string> columns;
  for (DtypeCombo combo : schema.dtype_combos) {
    std::sort(combo.begin(), combo.end());
    std::set<std::string> own;
    for (const auto& [column, dtype] : combo) {
      own.insert(column);
      if (!is_dtype_column(schema, column) || !is_dtype_name(dtype)) {
        fail_manifest(place, schema.dtype_combos_mark, "a combination gives dtype indices or parameters their dtypes",
                      "", column + ": " + dtype);
      }
    }
    if (!columns.empty() && own != columns) {
      fail_manifest(place, schema.dtype_combos_mark, "every combination has the same columns");
    }
    if (own.empty() || !rows.insert(combo).second) {
      fail_manifest(place, schema.dtype_combos_mark, "a combination is empty, or stands twice");
    }
    columns = own;
  }
}

}  // namespace

void validate_rows(const Schema& schema) {
  check_roofline(schema);
  check_composition(schema);
  check_combos(schema);
}

}  // namespace opyard
