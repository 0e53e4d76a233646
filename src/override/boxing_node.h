// A node of a typed router whose implementation takes boxed arguments.
#pragma once

#include <ATen/core/boxing/impl/boxing.h>
#include <override/boxed_server.h>
#include <override/node.h>

#include <memory>
#include <tuple>
#include <utility>

namespace opyard {

template <class Signature>
class BoxingNode;

template <class Return, class... Args>
class BoxingNode<Return(Args...)> final : public TypedNode<Return(Args...)> {
 public:
  using typename TypedNode<Return(Args...)>::Result;

  BoxingNode(std::string name, ConditionProgram condition, std::shared_ptr<const BoxedServer> server,
             const c10::OperatorHandle& op)
      : TypedNode<Return(Args...)>(std::move(name), std::move(condition), false), server_(std::move(server)), op_(op) {}

  bool accepts(Args...) const override { return true; }

  Outcome serve(Result& result, Args... args) const override {
    const c10::IValue arguments[] = {c10::IValue(args)...};
    torch::jit::Stack results;
    const Outcome outcome = server_->serve(op_, arguments, results);
    if (outcome == Outcome::kServed) {
      check_results(this->name(), op_, arguments, results);
      if constexpr (!std::is_reference_v<Return>) {  // else the argument is the result
        result = c10::impl::PopResult<Return>::call(results);
      }
    }
    return outcome;
  }

 private:
  std::shared_ptr<const BoxedServer> server_;
  c10::OperatorHandle op_;
};

}  // namespace opyard
