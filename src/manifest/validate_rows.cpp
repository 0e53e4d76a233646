#include "manifest/validate_rows.h"

#include <algorithm>
#include <set>

#include "error/nearest_name.h"
#include "manifest/fields.h"
#include "manifest/param_type.h"

namespace opyard {
namespace {

class RooflineValidator {
 public:
  RooflineValidator(const Schema& schema, Faults& faults)
      : schema_(schema), faults_(faults), place_(place_in(schema, "roofline")) {
    for (const IndexDecl& index : schema.forall) {
      if (index.kind.text != "Seq[Int]") {
        values_.push_back(index.name);
      }
    }
    for (const ParamDecl& param : schema.params) {
      values_.push_back(param.name);
    }
    for (const LetDecl& let : schema.lets) {
      values_.push_back(let.name);
    }
    for (const auto* tensors : {&schema.construction_tensors, &schema.inputs, &schema.outputs}) {
      for (const TensorDecl& tensor : *tensors) {
        tensors_.push_back(tensor.name);
      }
    }
    tensors_.emplace_back("out");
  }

  void check() const {
    Fields fields(schema_.roofline, place_, faults_);
    const Text flops = fields.text("flops");
    const Text bytes = fields.text("bytes");
    const Text function = fields.text("func");
    fields.finish();
    if (fields.sound() && (flops.empty() == function.empty() || (flops.empty() && !bytes.empty()))) {
      fail_manifest(place_, schema_.roofline.mark, "a roofline has either flops, perhaps with bytes, or func");
    }
    for (const Text* formula : {&flops, &bytes}) {
      if (!formula->empty()) {
        faults_.gather([&] { check_formula(parse_expression(*formula, place_), *formula, {}); });
      }
    }
  }

 private:
  using Names = std::vector<std::string>;

  /// Names are values, but for the tensors inside bytes(…) and present(…).
  void check_formula(const Expression& expression, const Text& text, const Names& bound) const {
    using Op = Expression::Op;
    const bool of_tensor = expression.is(Op::kCall) && (expression.text == "bytes" || expression.text == "present") &&
                           expression.kids.size() == 1;
    if (of_tensor && expression.kids[0].is(Op::kName)) {
      Names known = tensors_;
      if (expression.text == "present") {
        known.insert(known.end(), values_.begin(), values_.end());
      }
      check_name(expression.kids[0], known, text);
      return;
    }
    if (expression.is(Op::kName) && std::count(bound.begin(), bound.end(), expression.text) == 0) {
      check_name(expression, values_, text);
    }
    Names inner = bound;
    if (expression.is(Op::kComprehension)) {
      inner.push_back(expression.text);
    }
    for (const Expression& kid : expression.kids) {
      check_formula(kid, text, inner);
    }
  }

  void check_name(const Expression& read, const Names& known, const Text& text) const {
    const std::string& name = read.text;
    if (std::count(known.begin(), known.end(), name) == 0 && !faults_.is_faulty(name)) {
      fail_manifest(place_, text.at(read.offset), "'" + name + "' has no value here: " + text.text,
                    "a declared name" + nearest_name(name, known), name);
    }
  }

  const Schema& schema_;
  Faults& faults_;
  Place place_;
  Names values_;
  Names tensors_;
};

void check_stage(const Node& node, const Place& place, std::set<std::string>& names, Faults& faults) {
  Fields stage(node, place, faults);
  const std::string name = stage.string("name");
  const bool one = stage.string("op").empty() != stage.string("kernel").empty();
  stage.flag("optional");
  stage.finish();
  if (name.empty() || !one || !names.insert(name).second) {
    fail_manifest(place, node.mark, "a stage has a name of its own, and either op or kernel", "", to_text(node));
  }
}

void check_composition(const Schema& schema, Faults& faults) {
  const Place place = place_in(schema, "composition");
  Fields fields(schema.composition, place, faults);
  const Node* kind = fields.require("kind");
  const Node* stages = fields.require("stages");
  fields.finish();
  if (kind != nullptr && (!kind->is_string() || kind->text != "composite")) {
    fields.fail("kind", *kind, "composite");
  }
  if (stages == nullptr) {
    return;
  }
  expect_kind(*stages, Node::Kind::kList, place);
  std::set<std::string> names;
  for (const Node& node : stages->items) {
    faults.gather([&] { check_stage(node, place, names, faults); });
  }
  if (stages->items.empty()) {
    fail_manifest(place, stages->mark, "a composition has at least one stage");
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

void validate_rows(const Schema& schema, Faults& faults) {
  if (!schema.roofline.is_null()) {
    faults.gather([&] { RooflineValidator(schema, faults).check(); });
  }
  if (!schema.composition.is_null()) {
    faults.gather([&] { check_composition(schema, faults); });
  }
  faults.gather([&] { check_combos(schema); });
}

}  // namespace opyard
