#include "signature/settled_row.h"

#include <opyard/error.h>

#include <algorithm>

#include "signature/affine.h"
#include "signature/literal.h"

namespace opyard {

using Op = Expression::Op;

SettledRow::SettledRow(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes)
    : PlanBuilder(signature.program(), code_), signature_(signature), row_(row), dtypes_(dtypes), id_(row.label) {}

Construction SettledRow::begin() {
  Construction construction = construct();
  fold_constants();
  find_relevant();
  take_params(construction);
  return construction;
}

Construction SettledRow::settle_row() {
  Construction construction = begin();
  for (const auto& [name, value] : row_.indices) {
    if (relevant_.count(name) == 0) {
      refuse("the row gives an index that does not matter here", name);
    }
    take_index(name, value);
  }
  take_dtypes();
  settle();
  return construction;
}

RowFit SettledRow::fit() {
  begin();
  RowFit fit;
  for (const auto& [name, value] : row_.indices) {
    if (relevant_.count(name) > 0) {
      take_index(name, value);
    } else {
      fit.idle.push_back(name);
    }
  }
  for (const auto& [name, dtype] : dtypes_) {
    folder_.set_constant(name, literal_of(Value(dtype)));
  }
  settle();
  for (const IndexProgram& index : program_.indices) {
    if (relevant_.count(index.name) > 0 && index.kind == IndexKind::kDtype) {
      fit.dtypes.push_back(index.name);
    } else if (relevant_.count(index.name) > 0 && !is_constant(constant_of(index.name))) {
      fit.missing.push_back(index.name);
    }
  }
  return fit;
}

void SettledRow::refuse(const std::string& message, const std::string& got) const {
  fail_manifest(place_in(*program_.schema, "workload " + row_.label), row_.mark, message, "", got);
}

Construction SettledRow::construct() {
  try {
    Construction construction = signature_.construct(row_.params);
    point_ = decode_point(program_, point_number(construction), true);
    return construction;
  } catch (const SignatureError& error) {
    refuse("the parameters are refused", error.what());
  }
}

std::uint64_t SettledRow::point_number(const Construction& construction) const {
  std::uint64_t point = construction.solved->point;
  std::uint64_t scale = 1;
  for (const Discriminant& axis : program_.discriminants) {
    const std::string& name = axis.kind == Discriminant::Kind::kTensor ? program_.inputs[axis.number].decl->name : "";
    point += std::count(row_.some.begin(), row_.some.end(), name) > 0 ? scale : 0;
    scale *= axis.size();
  }
  return point;
}

void SettledRow::mark_relevant(const Expression& expression) {
  for_each_name(expression, [&](const std::string& name) {
    if (!relevant_.insert(name).second) {
      return;
    }
    for (std::size_t i = 0; i < lets_.size(); ++i) {
      if (program_.lets[i].what == name) {
        mark_relevant(lets_[i]);
      }
    }
  });
}

void SettledRow::mark_relevant_text(const Text& text) {
  if (!text.empty()) {
    mark_relevant(folder_.fold(parse_expression(text, place_in(*program_.schema, "workload " + row_.label))));
  }
}

/// The names that matter at this point; a row gives no others.
void SettledRow::find_relevant() {
  for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
    if (point_.inputs[i] == 1) {
      mark_relevant(folder_.fold_shape(program_.inputs[i].shape));
      mark_relevant(folder_.fold(program_.inputs[i].dtype.expression));
      mark_relevant_text(program_.inputs[i].decl->values);
      for (const Text& requirement : program_.inputs[i].decl->requirements) {
        mark_relevant_text(requirement);
      }
    }
  }
  for (const TensorProgram& output : program_.outputs) {
    mark_relevant(folder_.fold_shape(output.shape));
    mark_relevant(folder_.fold(output.dtype.expression));
  }
  for (const Declared& rule : program_.rules) {
    mark_relevant(folder_.fold(rule.expression));
  }
  for (const char* key : {"flops", "bytes"}) {
    const Node* text = program_.schema->roofline.find(key);
    mark_relevant_text(text != nullptr ? Text{text->text, text->mark, text->lead} : Text{});
  }
}

void SettledRow::take_params(const Construction& construction) {
  for (std::size_t i = 0; i < construction.params.size(); ++i) {
    const std::string& name = program_.schema->params[i].name;
    const Value& value = construction.params[i];
    const ParamType& type = program_.param_types[i];
    if (type.is_adt() && !value.is_none()) {
      take_layout(name, type.members[0].text, value.get<Sequence>());
    } else if (!value.is_none() && !type.only(TypeMember::Kind::kOpaque)) {
      folder_.set_constant(name, literal_of(value));
    }
    if (type.is_dtype() && !value.is_none()) {
      dtype_params_ += "-" + to_text(value);
    }
  }
}

/// An ADT parameter as generators read it; its numbers become constants.
void SettledRow::take_layout(const std::string& name, const std::string& adt_name, const Sequence& parts) {
  Sequence layout{parts[0]};
  for (const AdtDecl& adt : program_.schema->adts) {
    for (const AdtDecl::Constructor& constructor : adt.constructors) {
      if (adt.name != adt_name || parts[0] != Value(constructor.name)) {
        continue;
      }
      for (std::size_t i = 0; i < constructor.fields.size(); ++i) {
        layout.push_back(Sequence{Value(constructor.fields[i].name), parts[i + 1]});
        folder_.set_constant(name + "." + constructor.fields[i].name, literal_of(parts[i + 1]));
      }
    }
  }
  layouts_[name] = std::move(layout);
}

void SettledRow::take_index(const std::string& name, const Value& value) {
  Expression literal = literal_of(value);
  if (literal.is(Op::kString)) {  // a Seq[Int] as a call
    literal =
        folder_.fold(parse_expression({literal.text, row_.mark}, place_in(*program_.schema, "workload " + row_.label)));
  }
  if (!is_constant(literal)) {
    refuse("the value of an index cannot be evaluated", name + ": " + to_text(value));
  }
  folder_.set_constant(name, std::move(literal));
}

void SettledRow::take_dtypes() {
  for (const IndexProgram& index : program_.indices) {
    const auto given = std::find_if(dtypes_.begin(), dtypes_.end(),
                                    [&](const auto& assignment) { return assignment.first == index.name; });
    if ((given != dtypes_.end()) != (index.kind == IndexKind::kDtype && relevant_.count(index.name) > 0)) {
      refuse("the dtype case must give exactly the dtype indices that matter", index.name);
    }
    if (given != dtypes_.end()) {
      folder_.set_constant(index.name, literal_of(Value(given->second)));
      id_ += "-" + given->second;
    }
  }
  id_ += dtype_params_;
}

Expression SettledRow::constant_of(const std::string& name) const {
  return folder_.fold(Expression{.op = Op::kName, .text = name});
}

void SettledRow::settle() {
  for (bool changed = true; changed;) {
    fold_constants();
    changed = false;
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const TensorDecl& decl = *program_.inputs[i].decl;
      if (point_.inputs[i] == 1 && !decl.values.empty() && contents_.count(decl.name) == 0) {
        changed = make_contents(i) || changed;
      }
    }
  }
}

std::optional<Arguments> SettledRow::arguments_of(const Text& text) const {
  const Expression call = parse_expression(text, place_in(*program_.schema, "workload " + row_.label));
  if (!call.is(Op::kCall) || !call.keywords.empty()) {
    fail_manifest(place_in(*program_.schema, "workload " + row_.label), text.mark, "not a call", "", text.text);
  }
  std::vector<Value> values;
  for (const Expression& kid : call.kids) {
    const auto layout = kid.is(Op::kName) ? layouts_.find(kid.text) : layouts_.end();
    const auto contents = kid.is(Op::kName) ? contents_.find(kid.text) : contents_.end();
    if (layout != layouts_.end()) {
      values.emplace_back(layout->second);
    } else if (contents != contents_.end()) {
      values.emplace_back(Sequence(contents->second.values.begin(), contents->second.values.end()));
    } else {
      const Expression argument = folder_.fold(kid);
      if (!is_constant(argument)) {
        return std::nullopt;
      }
      values.push_back(value_of_literal(argument));
    }
  }
  return Arguments(call.text, std::move(values));
}

bool SettledRow::make_contents(std::size_t i) {
  const TensorDecl& decl = *program_.inputs[i].decl;
  const std::optional<Arguments> arguments = arguments_of(decl.values);
  if (!arguments) {
    return false;
  }
  try {
    contents_[decl.name] = generate(*arguments, generator_seed(program_.schema->op, decl.name));
  } catch (const GeneratorFailure& failure) {
    refuse("the contents of '" + decl.name + "' cannot be made", failure.what());
  }
  bind_shape(i, contents_[decl.name].shape);
  return true;
}

void SettledRow::bind_shape(std::size_t i, const std::vector<std::int64_t>& sizes) {
  const Expression shape = folder_.fold_shape(program_.inputs[i].shape);
  if (shape.kids.size() != sizes.size()) {
    refuse("the contents of '" + program_.inputs[i].decl->name + "' have the wrong rank", std::to_string(sizes.size()));
  }
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    std::set<std::string> names;
    for_each_name(shape.kids[k], [&](const std::string& name) { names.insert(name); });
    if (names.size() != 1 || !is_affine(shape.kids[k], *names.begin())) {
      continue;  // read_inputs compares, or names what is missing
    }
    const std::int64_t at_zero = folder_.fold(with_value(shape.kids[k], *names.begin(), 0)).integer;
    const std::int64_t slope = folder_.fold(with_value(shape.kids[k], *names.begin(), 1)).integer - at_zero;
    if (sizes[k] < at_zero || (sizes[k] - at_zero) % slope != 0) {
      refuse("the contents of '" + program_.inputs[i].decl->name + "' do not fit its shape", std::to_string(sizes[k]));
    }
    folder_.set_constant(*names.begin(), literal_of(Value((sizes[k] - at_zero) / slope)));
  }
}

RowFit fit_row(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes) {
  return SettledRow(signature, row, dtypes).fit();
}

}  // namespace opyard
