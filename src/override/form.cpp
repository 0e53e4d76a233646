#include <ATen/MemoryOverlap.h>
#include <override/form.h>
#include <registry/fork_lock.h>

#include <mutex>
#include <unordered_map>

namespace opyard {
namespace {

bool writes(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool same_type(const c10::Argument& a, const c10::Argument& b) { return *a.real_type() == *b.real_type(); }

bool is_functional(const c10::FunctionSchema& schema) {
  for (const auto* part : {&schema.arguments(), &schema.returns()}) {
    for (const c10::Argument& argument : *part) {
      if (argument.alias_info() != nullptr) {
        return false;
      }
    }
  }
  for (const c10::Argument& result : schema.returns()) {
    if (result.type()->kind() != c10::TypeKind::TensorType) {
      return false;
    }
  }
  return !schema.returns().empty();
}

bool same_arguments(const c10::FunctionSchema& a, const c10::FunctionSchema& b) {
  for (std::size_t i = 0; i < a.arguments().size(); ++i) {
    if (a.arguments()[i].name() != b.arguments()[i].name() || !same_type(a.arguments()[i], b.arguments()[i])) {
      return false;
    }
  }
  return true;
}

bool is_in_place_form(const c10::FunctionSchema& functional, const c10::FunctionSchema& schema) {
  return schema.arguments().size() == functional.arguments().size() && functional.returns().size() == 1 &&
         !schema.arguments().empty() && writes(schema.arguments()[0]) && same_arguments(functional, schema);
}

bool is_out_form(const c10::FunctionSchema& functional, const c10::FunctionSchema& schema) {
  const std::size_t count = functional.arguments().size();
  if (schema.arguments().size() != count + functional.returns().size() || !same_arguments(functional, schema)) {
    return false;
  }
  for (std::size_t i = count; i < schema.arguments().size(); ++i) {
    if (!writes(schema.arguments()[i])) {
      return false;
    }
  }
  return true;
}

using Overloads = std::unordered_map<std::string, std::vector<std::string>>;

Overloads overloads_by_name() {
  Overloads overloads;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    overloads[name.name].push_back(name.overload_name);
  }
  return overloads;
}

// aten is complete before anyone registers an override; other namespaces may still grow.
std::vector<std::string> overloads_of(const std::string& name) {
  static const auto& aten = *new Overloads(overloads_by_name());
  const bool is_aten = name.rfind("aten::", 0) == 0;
  const Overloads grown = is_aten ? Overloads() : overloads_by_name();
  const Overloads& overloads = is_aten ? aten : grown;
  const auto found = overloads.find(name);
  return found == overloads.end() ? std::vector<std::string>() : found->second;
}

// Whether `result` can be written into `target` as torch's own kernel would, or after a resize of an empty one.
bool fits(const at::Tensor& target, const at::Tensor& result, bool may_resize) {
  const bool same_sizes = target.sizes().equals(result.sizes());
  return target.scalar_type() == result.scalar_type() && target.device() == result.device() &&
         target.layout() == result.layout() && (same_sizes || (may_resize && target.numel() == 0)) &&
         at::has_internal_overlap(target) != at::MemOverlap::Yes;
}

void write(const at::Tensor& target, const at::Tensor& result) {
  if (!target.sizes().equals(result.sizes())) {
    target.resize_(result.sizes());
    if (!result.is_contiguous() && result.is_non_overlapping_and_dense()) {
      target.as_strided_(result.sizes(), result.strides());
    }
  }
  target.copy_(result);
}

class FormServer final : public BoxedServer {
 public:
  FormServer(Form form, c10::OperatorHandle functional, std::shared_ptr<const BoxedServer> server)
      : form_(form), functional_(functional), server_(std::move(server)) {}

  Outcome serve(const c10::OperatorHandle&, c10::ArrayRef<c10::IValue> arguments,
                torch::jit::Stack& results) const override {
    const std::size_t count = functional_.schema().arguments().size();
    const auto targets = form_ == Form::kInPlace ? arguments.slice(0, 1) : arguments.slice(count);
    torch::jit::Stack made;
    const Outcome outcome = server_->serve(functional_, arguments.slice(0, count), made);
    if (outcome != Outcome::kServed) {
      return outcome;
    }
    check_results("an override", functional_, arguments.slice(0, count), made);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const at::Tensor& target = targets[i].toTensor();
      if (!made[i].isTensor() || !fits(target, made[i].toTensor(), form_ == Form::kOut) ||
          (form_ == Form::kOut && overlaps(target, arguments.slice(0, count)))) {
        return Outcome::kDeclined;
      }
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      write(targets[i].toTensor(), made[i].toTensor());
      results.push_back(targets[i]);
    }
    return Outcome::kServed;
  }

 private:
  // The very same tensor as input and output is allowed; views of one memory are torch's to judge.
  static bool overlaps(const at::Tensor& target, c10::ArrayRef<c10::IValue> inputs) {
    for (const c10::IValue& input : inputs) {
      if (input.isTensor() && input.toTensor().defined() && !input.toTensor().is_same(target) &&
          input.toTensor().has_storage() && input.toTensor().storage().is_alias_of(target.storage())) {
        return true;
      }
    }
    return false;
  }

  Form form_;
  c10::OperatorHandle functional_;
  std::shared_ptr<const BoxedServer> server_;
};

}  // namespace

std::vector<FormOperator> other_forms(const c10::OperatorHandle& op, c10::DispatchKey key) {
  std::vector<FormOperator> forms;
  if (!is_functional(op.schema())) {
    return forms;
  }
  const auto add = [&](const std::string& name, Form form, auto is_form) {
    for (const std::string& overload : overloads_of(name)) {
      const auto other = c10::Dispatcher::singleton().findSchema({name, overload});
      const bool own_kernel =
          other && (other->hasKernelForDispatchKey(key) || !other->hasComputedKernelForDispatchKey(key));
      if (own_kernel && is_form(op.schema(), other->schema())) {
        forms.push_back({*other, form});
      }
    }
  };
  const std::string& name = op.operator_name().name;
  add(name + "_", Form::kInPlace, is_in_place_form);
  add(name, Form::kOut, is_out_form);
  return forms;
}

std::shared_ptr<const BoxedServer> serve_form(Form form, c10::OperatorHandle functional,
                                              std::shared_ptr<const BoxedServer> server) {
  return std::make_shared<const FormServer>(form, functional, std::move(server));
}

}  // namespace opyard
