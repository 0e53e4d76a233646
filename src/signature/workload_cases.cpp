#include "signature/workload_cases.h"

#include <ATen/ops/empty.h>
#include <opyard/error.h>

#include <algorithm>
#include <map>
#include <set>

#include "manifest/workload.h"
#include "signature/affine.h"
#include "signature/plan_builder.h"
#include "signature/roofline.h"
#include "signature/workload_coverage.h"

namespace opyard {
namespace {

using Op = Expression::Op;

/// Settles one case: everything that becomes known is a constant of the folder, until nothing changes.
class CaseBuilder : PlanBuilder {
 public:
  CaseBuilder(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes)
      : PlanBuilder(signature.program(), code_), signature_(signature), row_(row), dtypes_(dtypes) {}

  WorkloadCase build() {
    result_.id = row_.label;
    result_.params = row_.params;
    const Construction construction = construct();
    fold_constants();
    find_relevant();
    take_params(construction);
    take_row();
    settle();
    read_inputs();
    check_requirements();
    infer(construction);
    add_roofline();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& got = "") const {
    fail_manifest(place_in(*program_.schema, "workload " + row_.label), row_.mark, message, "", got);
  }

  Construction construct() {
    try {
      Construction construction = signature_.construct(row_.params);
      point_ = decode_point(program_, point_number(construction), true);
      return construction;
    } catch (const SignatureError& error) {
      refuse("the parameters are refused", error.what());
    }
  }

  std::uint64_t point_number(const Construction& construction) const {
    std::uint64_t point = construction.solved->point;
    std::uint64_t scale = 1;
    for (const Discriminant& axis : program_.discriminants) {
      const std::string& name = axis.kind == Discriminant::Kind::kTensor ? program_.inputs[axis.number].decl->name : "";
      point += std::count(row_.some.begin(), row_.some.end(), name) > 0 ? scale : 0;
      scale *= axis.size();
    }
    return point;
  }

  void mark_relevant(const Expression& expression) {
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

  void mark_relevant_text(const Text& text) {
    if (!text.empty()) {
      mark_relevant(folder_.fold(parse_expression(text, place_in(*program_.schema, "workload " + row_.label))));
    }
  }

  /// The names that matter at this point; a row gives no others.
  void find_relevant() {
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
      mark_relevant_text(text != nullptr ? Text{text->text, text->mark} : Text{});
    }
  }

  void take_params(const Construction& construction) {
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
  void take_layout(const std::string& name, const std::string& adt_name, const Sequence& parts) {
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

  void take_row() {
    for (const auto& [name, value] : row_.indices) {
      if (relevant_.count(name) == 0) {
        refuse("the row gives an index that does not matter here", name);
      }
      Expression literal = literal_of(value);
      if (literal.is(Op::kString)) {  // a Seq[Int] as a call
        literal = folder_.fold(
            parse_expression({literal.text, row_.mark}, place_in(*program_.schema, "workload " + row_.label)));
      }
      if (!is_constant(literal)) {
        refuse("the value of an index cannot be evaluated", name + ": " + to_text(value));
      }
      folder_.set_constant(name, std::move(literal));
    }
    for (const IndexProgram& index : program_.indices) {
      const auto given = std::find_if(dtypes_.begin(), dtypes_.end(),
                                      [&](const auto& assignment) { return assignment.first == index.name; });
      if ((given != dtypes_.end()) != (index.kind == IndexKind::kDtype && relevant_.count(index.name) > 0)) {
        refuse("the dtype case must give exactly the dtype indices that matter", index.name);
      }
      if (given != dtypes_.end()) {
        folder_.set_constant(index.name, literal_of(Value(given->second)));
        result_.id += "-" + given->second;
      }
    }
    result_.id += dtype_params_;
  }

  Expression constant_of(const std::string& name) const {
    return folder_.fold(Expression{.op = Op::kName, .text = name});
  }

  void settle() {
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

  std::optional<Arguments> arguments_of(const Text& text) const {
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

  bool make_contents(std::size_t i) {
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

  void bind_shape(std::size_t i, const std::vector<std::int64_t>& sizes) {
    const Expression shape = folder_.fold_shape(program_.inputs[i].shape);
    if (shape.kids.size() != sizes.size()) {
      refuse("the contents of '" + program_.inputs[i].decl->name + "' have the wrong rank",
             std::to_string(sizes.size()));
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
        refuse("the contents of '" + program_.inputs[i].decl->name + "' do not fit its shape",
               std::to_string(sizes[k]));
      }
      folder_.set_constant(*names.begin(), literal_of(Value((sizes[k] - at_zero) / slope)));
    }
  }

  void read_inputs() {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const TensorProgram& input = program_.inputs[i];
      WorkloadTensor tensor{.name = input.decl->name, .present = point_.inputs[i] == 1, .on_cpu = input.decl->on_cpu};
      if (tensor.present) {
        read_shape(input, tensor);
        const Expression dtype = folder_.fold(input.dtype.expression);
        tensor.dtype = dtype.is(Op::kString) ? dtype_by_name(dtype.text) : c10::ScalarType::Undefined;
        if (tensor.dtype == c10::ScalarType::Undefined) {
          refuse("torch has no such dtype for '" + tensor.name + "'", dtype.text);
        }
        if (const auto contents = contents_.find(tensor.name); contents != contents_.end()) {
          if (contents->second.shape != tensor.sizes) {
            refuse("the contents of '" + tensor.name + "' do not have its shape");
          }
          tensor.contents = contents->second;
        }
      }
      (i < program_.call_inputs ? result_.inputs : result_.construction_tensors).push_back(std::move(tensor));
    }
  }

  void read_shape(const TensorProgram& input, WorkloadTensor& tensor) const {
    const Expression shape = folder_.fold_shape(input.shape);
    for (const Expression& element : shape.kids) {
      const Expression& inner = element.is(Op::kStar) ? element.kids[0] : element;
      if (!is_constant(inner)) {
        std::string names;
        for_each_name(inner, [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; });
        refuse("the row does not settle the shape of '" + tensor.name + "'", names + " is missing");
      }
      for (const Expression& size : element.is(Op::kStar) ? inner.kids : std::vector<Expression>{inner}) {
        tensor.sizes.push_back(size.integer);
      }
    }
    if (std::any_of(tensor.sizes.begin(), tensor.sizes.end(), [](std::int64_t size) { return size < 0; })) {
      refuse("'" + tensor.name + "' would have a negative size");
    }
  }

  void check_requirements() const {
    for (const TensorProgram& input : program_.inputs) {
      const auto contents = contents_.find(input.decl->name);
      for (const Text& requirement : input.decl->requirements) {
        if (contents == contents_.end()) {
          continue;
        }
        const std::optional<Arguments> arguments = arguments_of(requirement);
        try {
          if (!arguments || !satisfies(contents->second, *arguments)) {
            refuse("the contents of '" + input.decl->name + "' do not satisfy what is required", requirement.text);
          }
        } catch (const GeneratorFailure& failure) {
          refuse("a requirement of '" + input.decl->name + "' has no answer", failure.what());
        }
      }
    }
  }

  static at::Tensor empty_tensor(const WorkloadTensor& tensor) {
    const auto device = tensor.on_cpu ? at::kCPU : at::kMeta;
    return tensor.present ? at::empty(tensor.sizes, at::TensorOptions().dtype(tensor.dtype).device(device))
                          : at::Tensor();
  }

  /// Solves the call again from its shapes alone: the row's indices must come out.
  void infer(Construction construction) {
    for (std::size_t i = 0; i < result_.construction_tensors.size(); ++i) {
      construction.tensors[i] = empty_tensor(result_.construction_tensors[i]);
    }
    std::vector<at::Tensor> tensors;
    std::vector<const at::Tensor*> pointers;
    tensors.reserve(result_.inputs.size());
    for (const WorkloadTensor& input : result_.inputs) {
      tensors.push_back(empty_tensor(input));
      pointers.push_back(input.present ? &tensors.back() : nullptr);
    }
    try {
      const auto call = signature_.check(construction, pointers.data());
      for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        const SolvedOutput<std::int64_t>& output = call.outputs[i];
        result_.outputs.push_back({program_.outputs[i].decl->name, output.present, output.dtype,
                                   std::vector<std::int64_t>(output.sizes.begin(), output.sizes.end())});
      }
      result_.indices = signature_.named_indices(construction, call, pointers.data());
    } catch (const SignatureError& error) {
      refuse("the call is refused", error.what());
    }
    for (const auto& [name, value] : result_.indices) {
      const Expression constant = constant_of(name);
      if (is_constant(constant) &&
          to_text(value_of_literal(constant)) != to_text(value_of_literal(literal_of(value)))) {
        refuse("inference from the shapes disagrees with the row", name + " = " + to_text(value));
      }
    }
  }

  void add_roofline() {
    const Roofline roofline = roofline_of(program_, folder_, point_, result_.inputs, result_.outputs);
    result_.flops = roofline.flops;
    result_.bytes = roofline.bytes;
  }

  Code code_;  // nothing is compiled here
  const Signature& signature_;
  const WorkloadRow& row_;
  const DtypeCase& dtypes_;
  WorkloadCase result_;
  std::set<std::string> relevant_;
  std::map<std::string, Sequence> layouts_;
  std::map<std::string, Contents> contents_;
  std::string dtype_params_;
};

}  // namespace

std::vector<WorkloadCase> workload_cases(const Signature& signature, Faults& faults) {
  std::vector<WorkloadCase> cases;
  std::set<std::string> ids;
  const Schema& schema = *signature.program().schema;
  const std::vector<WorkloadRow> rows = read_workloads(schema, faults);
  if (faults.empty() && schema.status == "implemented" && !rows.empty()) {
    check_coverage(signature.program(), rows, faults);
  }
  for (const WorkloadRow& row : rows) {
    for (const DtypeCase& dtypes : row.dtype_cases) {
      faults.gather([&] {
        cases.push_back(CaseBuilder(signature, row, dtypes).build());
        if (!ids.insert(cases.back().id).second) {
          fail_manifest(place_in(schema, "workload " + row.label), row.mark, "two cases have one id", "",
                        cases.back().id);
        }
      });
    }
  }
  return cases;
}

std::vector<WorkloadCase> workload_cases(const Signature& signature) {
  Faults faults;
  std::vector<WorkloadCase> cases = workload_cases(signature, faults);
  faults.throw_first();
  return cases;
}

}  // namespace opyard
