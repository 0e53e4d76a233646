#include <call/run_call.h>
#include <opyard/error.h>
#include <override/boxed_literal.h>
#include <override/catalogue_server.h>
#include <override/out_form.h>
#include <override/route_switch.h>
#include <registry/fork_lock.h>
#include <registry/registry.h>

#include <algorithm>
#include <mutex>

namespace opyard {
namespace {

template <class Arguments>
std::optional<std::size_t> number_of(const Arguments& arguments, std::string_view name) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

bool is_tensor(const c10::Argument& argument) { return argument.type()->kind() == c10::TypeKind::TensorType; }

}  // namespace

CatalogueServer::CatalogueServer(std::shared_ptr<const Signature> signature, const Node& arguments,
                                 const c10::OperatorHandle& op, std::size_t route)
    : signature_(std::move(signature)), route_(route) {
  const std::vector<c10::Argument>& declared = op.schema().arguments();
  for (std::size_t i = 0; i < declared.size(); ++i) {
    read_argument(arguments, declared[i], i);
  }
  read_literals(arguments, op.schema());
}

void CatalogueServer::read_argument(const Node& arguments, const c10::Argument& argument, std::size_t number) {
  const Node* given = arguments.find(argument.name());
  if (given == nullptr) {
    fixed_.push_back({number, argument.default_value().value_or(c10::IValue())});
  } else if (given->is_null() && is_tensor(argument)) {
    unread_.push_back(number);
  } else if (const auto input = given->is_string() ? number_of(signature_->inputs(), given->text) : std::nullopt) {
    inputs_.emplace_back(number, *input);
  } else if (given->is_string() && number_of(signature_->params(), given->text)) {
    params_.emplace_back(number, given->text);
  } else {
    fixed_.push_back({number, boxed_literal(*given).value_or(c10::IValue())});
  }
}

// Keys that are no arguments of the operator are parameters of the entry.
void CatalogueServer::read_literals(const Node& arguments, const c10::FunctionSchema& schema) {
  for (std::size_t i = 0; i < arguments.keys.size(); ++i) {
    const auto literal = boxed_literal(arguments.items[i]);
    const auto value = literal ? to_parameter(*literal) : std::nullopt;
    if (!schema.argumentIndexWithName(arguments.keys[i]) && value) {
      literals_.emplace_back(arguments.keys[i], *value);
    }
  }
}

bool CatalogueServer::fits(c10::ArrayRef<c10::IValue> arguments, std::vector<const at::Tensor*>& inputs) const {
  for (const Fixed& fixed : fixed_) {
    if (!same_argument(arguments[fixed.argument], fixed.value)) {
      return false;
    }
  }
  for (const auto& [argument, input] : inputs_) {
    if (arguments[argument].isNone()) {
      continue;
    }
    if (!arguments[argument].isTensor()) {
      return false;
    }
    const at::Tensor& tensor = arguments[argument].toTensor();
    if (tensor.defined()) {
      if (!tensor.is_contiguous() || tensor.is_conj() || tensor.is_neg()) {
        return false;
      }
      inputs[input] = &tensor;
    }
  }
  return true;
}

// A tensor that is not read must still be one that torch accepts.
bool CatalogueServer::unread_fit(c10::ArrayRef<c10::IValue> arguments, const at::Tensor& result) const {
  return std::all_of(unread_.begin(), unread_.end(), [&](std::size_t argument) {
    const at::Tensor& tensor = arguments[argument].toTensor();
    return tensor.scalar_type() == result.scalar_type() && tensor.device() == result.device() &&
           expands_to(tensor.sizes(), result.sizes());
  });
}

Instance* CatalogueServer::find(c10::ArrayRef<c10::IValue> arguments) const {
  const std::size_t count = count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    bool same = true;
    for (std::size_t p = 0; same && p < params_.size(); ++p) {
      same = same_argument(arguments[params_[p].first], made_[i].values[p]);
    }
    if (same) {
      return made_[i].instance.get();
    }
  }
  return nullptr;
}

Instance* CatalogueServer::instance_for(c10::ArrayRef<c10::IValue> arguments) const {
  if (Instance* found = find(arguments)) {
    return found;
  }
  std::vector<c10::IValue> values;
  std::vector<NamedValue> params = literals_;
  for (const auto& [argument, name] : params_) {
    const std::optional<Value> value = to_parameter(arguments[argument]);
    if (!value) {
      return nullptr;
    }
    values.push_back(arguments[argument].deepcopy());
    params.emplace_back(name, *value);
  }
  std::shared_ptr<Instance> made = Instance::make(Registry::process(), signature_->op(), params);
  std::lock_guard guard(lock_of(LockRank::kRoutes));
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (Instance* found = find(arguments)) {  // another thread was first
    return found;
  }
  if (count == kMostInstances) {
    return nullptr;
  }
  made_[count] = {std::move(values), std::move(made)};
  count_.store(count + 1, std::memory_order_release);
  return made_[count].instance.get();
}

Outcome CatalogueServer::serve(const c10::OperatorHandle&, c10::ArrayRef<c10::IValue> arguments,
                               torch::jit::Stack& results) const {
  if (!route_is_on(route_)) {
    return Outcome::kConditionFalse;
  }
  std::vector<const at::Tensor*> inputs(signature_->inputs().size(), nullptr);
  if (!fits(arguments, inputs)) {
    return Outcome::kDeclined;
  }
  std::vector<at::Tensor> outputs(signature_->outputs().size());
  try {
    Instance* instance = instance_for(arguments);
    if (instance == nullptr || !run_call_in_front(*instance, inputs.data(), outputs.data())) {
      return Outcome::kDeclined;
    }
  } catch (const SignatureError&) {
    return Outcome::kDeclined;  // no call of the catalogue's operator: torch's, or torch's to refuse
  } catch (const OpNotAvailableError&) {
    return Outcome::kDeclined;
  }
  for (at::Tensor& output : outputs) {
    if (!unread_fit(arguments, output)) {
      results.clear();
      return Outcome::kDeclined;
    }
    results.emplace_back(std::move(output));
  }
  return Outcome::kServed;
}

}  // namespace opyard
