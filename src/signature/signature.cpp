#include "signature/signature.h"

#include "signature/check_run.h"
#include "signature/effects.h"
#include "signature/index_words.h"
#include "signature/program.h"

namespace opyard {
namespace {

/// A call's tensors followed by the construction's, which only a few operators have.
class AllInputs {
 public:
  AllInputs(const Signature::Program& program, const Construction& construction, const at::Tensor* const* inputs)
      : pointers_(inputs) {
    if (program.inputs.size() > program.call_inputs) {
      all_.assign(inputs, inputs + program.call_inputs);
      for (const at::Tensor& tensor : construction.tensors) {
        all_.push_back(tensor.defined() ? &tensor : nullptr);
      }
      pointers_ = all_.data();
    }
  }
  AllInputs(const AllInputs&) = delete;
  AllInputs& operator=(const AllInputs&) = delete;
  const at::Tensor* const* data() const { return pointers_; }

 private:
  c10::SmallVector<const at::Tensor*, 12> all_;
  const at::Tensor* const* pointers_;
};

template <class Int>
CheckRun<Int> run_of(const Signature::Program& program, const Construction& construction,
                     const at::Tensor* const* inputs) {
  c10::SmallVector<bool, 16> present;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    present.push_back(inputs[i] != nullptr);
  }
  return {program, program.call_plan(point_of(program, construction, present)), construction, inputs};
}

}  // namespace

std::shared_ptr<const Signature> Signature::compile(std::shared_ptr<const Schema> schema) {
  std::shared_ptr<Signature> signature(new Signature());
  signature->program_ = std::make_shared<const Program>(schema);
  signature->op_ = schema->op;
  signature->family_ = schema->family;
  signature->declared_at_ = opyard::declared_at(schema->file, schema->mark);
  signature->digest_ = schema->digest;
  for (const TensorDecl& input : schema->inputs) {
    signature->inputs_.push_back(
        {input.name, input.optional || !input.present_when.empty(), input.kw_only, input.on_cpu});
  }
  for (const TensorDecl& output : schema->outputs) {
    signature->outputs_.push_back({output.name, !output.nullable.empty(), false, false});
  }
  for (std::size_t i = 0; i < schema->params.size(); ++i) {
    const ParamDecl& param = schema->params[i];
    std::optional<Value> default_value;
    if (param.default_value) {
      default_value = signature->program_->defaults[i];
    }
    for (const TensorDecl& tensor : schema->construction_tensors) {
      if (tensor.name == param.name && (tensor.optional || !tensor.present_when.empty())) {
        default_value = Value();
      }
    }
    signature->params_.push_back({param.name, param.type.text, std::move(default_value), param.kw_only});
  }
  return signature;
}

SolvedCall<std::int64_t> Signature::check(const Construction& construction, const at::Tensor* const* inputs) const {
  const AllInputs all(*program_, construction, inputs);
  return run_of<std::int64_t>(*program_, construction, all.data()).run();
}

SolvedCall<c10::SymInt> Signature::infer(const Construction& construction, const at::Tensor* const* inputs) const {
  const AllInputs all(*program_, construction, inputs);
  return run_of<c10::SymInt>(*program_, construction, all.data()).run();
}

std::vector<NamedValue> Signature::named_indices(c10::ArrayRef<std::int64_t> index_words) const {
  std::vector<NamedValue> named;
  IndexReader reader(index_words, program_->strings);
  const auto add = [&](const std::string& name) {
    if (std::optional<Value> value = reader.read()) named.emplace_back(name, std::move(*value));
  };
  for (const IndexProgram& index : program_->indices) {
    add(index.name);
  }
  for (const Declared& let : program_->lets) {
    add(let.what);
  }
  return named;
}

}  // namespace opyard
