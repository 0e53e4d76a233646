// An implementation behind a condition in the expression language.
#pragma once

#include <override/argument_expression.h>
#include <override/boxed_server.h>

#include <memory>
#include <utility>

namespace opyard {

class GuardedServer final : public BoxedServer {
 public:
  GuardedServer(ArgumentExpression condition, std::shared_ptr<const BoxedServer> server)
      : condition_(std::move(condition)), server_(std::move(server)) {}

  Outcome serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                torch::jit::Stack& results) const override {
    return condition_.holds(arguments) ? server_->serve(op, arguments, results) : Outcome::kConditionFalse;
  }

 private:
  ArgumentExpression condition_;
  std::shared_ptr<const BoxedServer> server_;
};

}  // namespace opyard
