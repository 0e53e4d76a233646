#include <opyard/error.h>
#include <override/boxed_server.h>
#include <override/node.h>
#include <override/raise.h>

namespace opyard {
namespace {

ContractError result_error(const std::string& name, const c10::OperatorHandle& op, std::string expected,
                           std::string got) {
  return ContractError(SignatureError::Kind::kValue, "an override gave another result than its operator",
                       {.op = toString(op.operator_name()),
                        .argument = name,
                        .expected = std::move(expected),
                        .got = std::move(got),
                        .advice = "write into the argument and return it"});
}

// The argument that a result is, by the schema's alias sets; null where the result is new or a view.
const c10::Argument* written_argument(const c10::FunctionSchema& schema, std::size_t result, std::size_t& index) {
  const c10::AliasInfo* alias = schema.returns()[result].alias_info();
  if (alias == nullptr || !alias->isWrite()) {
    return nullptr;
  }
  for (index = 0; index < schema.arguments().size(); ++index) {
    const c10::AliasInfo* other = schema.arguments()[index].alias_info();
    if (other != nullptr && other->isWrite() && other->beforeSets() == alias->beforeSets()) {
      return &schema.arguments()[index];
    }
  }
  return nullptr;
}

}  // namespace

BoxedFunctions::BoxedFunctions(std::string name, Predicate predicate, Implementation implementation)
    : name_(std::move(name)), predicate_(std::move(predicate)), implementation_(std::move(implementation)) {}

Outcome BoxedFunctions::serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                              torch::jit::Stack& results) const {
  if (predicate_) {
    bool holds = false;
    try {
      holds = predicate_(arguments);
    } catch (const std::exception& error) {
      throw_predicate_failed(name_, error.what());
    }
    if (!holds) {
      return Outcome::kConditionFalse;
    }
  }
  return implementation_(op, arguments, results) ? Outcome::kServed : Outcome::kDeclined;
}

void check_results(const std::string& name, const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                   const torch::jit::Stack& results) {
  const c10::FunctionSchema& schema = op.schema();
  if (results.size() != schema.returns().size()) {
    raise(result_error(name, op, std::to_string(schema.returns().size()) + " results", std::to_string(results.size())));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::size_t index = 0;
    const c10::Argument* argument = written_argument(schema, i, index);
    if (argument == nullptr || !results[i].isTensor()) {
      continue;
    }
    if (!arguments[index].isTensor() || !results[i].toTensor().is_same(arguments[index].toTensor())) {
      raise(result_error(name, op, "the argument '" + argument->name() + "' itself as the result", "another tensor"));
    }
  }
}

}  // namespace opyard
