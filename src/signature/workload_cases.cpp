#include "signature/workload_cases.h"

#include <ATen/ops/empty.h>
#include <opyard/error.h>

#include <algorithm>
#include <set>

#include "signature/literal.h"
#include "signature/roofline.h"
#include "signature/settled_row.h"
#include "signature/workload_coverage.h"

namespace opyard {
namespace {

using Op = Expression::Op;

constexpr std::int64_t kMostElements = std::int64_t{1} << 56;  // their bytes, of any dtype, are a 64-bit number

/// One case: the settled row's tensors, checked, and what its call gives.
class CaseBuilder : SettledRow {
 public:
  CaseBuilder(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes)
      : SettledRow(signature, row, dtypes) {}

  WorkloadCase build() {
    const Construction construction = settle_row();
    result_.id = id_;
    result_.params = row_.params;
    read_inputs();
    check_requirements();
    infer(construction);
    add_roofline();
    return std::move(result_);
  }

 private:
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
    std::int64_t elements = 1;  // an empty tensor's strides are products too
    for (const std::int64_t size : tensor.sizes) {
      if (__builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements) || elements > kMostElements) {
        refuse("'" + tensor.name + "' would have more elements than any tensor");
      }
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

  /// Of these sizes, with no memory behind them: only the facts are read.
  static at::Tensor bare_tensor(const WorkloadTensor& tensor) {
    if (!tensor.present) {
      return {};
    }
    const auto device = tensor.on_cpu ? at::kCPU : at::kMeta;
    at::Tensor bare = at::empty({0}, at::TensorOptions().dtype(tensor.dtype).device(device));
    bare.unsafeGetTensorImpl()->set_sizes_contiguous(tensor.sizes);
    return bare;
  }

  /// Solves the call again from its shapes alone: the row's indices must come out.
  void infer(Construction construction) {
    for (std::size_t i = 0; i < result_.construction_tensors.size(); ++i) {
      construction.tensors[i] = bare_tensor(result_.construction_tensors[i]);
    }
    std::vector<at::Tensor> tensors;
    std::vector<const at::Tensor*> pointers;
    tensors.reserve(result_.inputs.size());
    for (const WorkloadTensor& input : result_.inputs) {
      tensors.push_back(bare_tensor(input));
      pointers.push_back(input.present ? &tensors.back() : nullptr);
    }
    try {
      const auto call = signature_.check(construction, pointers.data());
      for (std::size_t i = 0; i < call.outputs.size(); ++i) {
        const SolvedOutput<std::int64_t>& output = call.outputs[i];
        result_.outputs.push_back({program_.outputs[i].decl->name, output.present, output.dtype,
                                   std::vector<std::int64_t>(output.sizes.begin(), output.sizes.end())});
      }
      result_.indices = signature_.named_indices(call.index_words);
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

  WorkloadCase result_;
};

}  // namespace

WorkloadCase build_case(const Signature& signature, const WorkloadRow& row, const DtypeCase& dtypes) {
  return CaseBuilder(signature, row, dtypes).build();
}

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
        cases.push_back(build_case(signature, row, dtypes));
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
