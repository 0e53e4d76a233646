// An implementation for any operator: arguments and results are boxed values.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <override/outcome.h>
#include <override/override.h>

#include <functional>
#include <memory>
#include <string>

namespace opyard {

/// Called from any number of threads at once. What it raises reaches the caller.
class BoxedServer {
 public:
  virtual ~BoxedServer() = default;

  /// `arguments` are those of the schema, in its order. When it serves it appends the operator's results.
  virtual Outcome serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                        torch::jit::Stack& results) const = 0;
};

/// A BoxedServer made of C++ functions.
class BoxedFunctions final : public BoxedServer {
 public:
  using Predicate = std::function<bool(c10::ArrayRef<c10::IValue> arguments)>;
  using Implementation = std::function<bool(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                                            torch::jit::Stack& results)>;  // false: it declines

  /// An empty predicate holds always. `name` stands in the error of a predicate that raises.
  BoxedFunctions(std::string name, Predicate predicate, Implementation implementation);
  Outcome serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                torch::jit::Stack& results) const override;

 private:
  std::string name_;
  Predicate predicate_;
  Implementation implementation_;
};

/// Throws ContractError, naming the override, unless the results are as many as the operator has and each that the
/// schema declares to be an argument it writes is that very argument.
void check_results(const std::string& name, const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                   const torch::jit::Stack& results);

}  // namespace opyard
