// The router for operators whose C++ signature opyard does not know: arguments stay boxed.
#pragma once

#include <override/boxed_server.h>
#include <override/original.h>
#include <override/override.h>
#include <torch/library.h>

#include <optional>

namespace opyard {

/// A node of a boxed router.
class BoxedNode final : public OverrideNode {
 public:
  BoxedNode(std::string name, ConditionProgram condition, std::shared_ptr<const BoxedServer> server)
      : OverrideNode(std::move(name), std::move(condition), false), server_(std::move(server)) {}

  /// Appends checked results where it serves.
  Outcome serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, torch::jit::Stack& results) const {
    const Outcome outcome = server_->serve(op, arguments, results);
    if (outcome == Outcome::kServed) {
      check_results(name(), op, arguments, results);
    }
    return outcome;
  }

 private:
  std::shared_ptr<const BoxedServer> server_;
};

/// What conditions see of boxed arguments.
struct BoxedTensors {
  const c10::IValue* arguments;
  const at::Tensor* operator[](std::size_t i) const {
    return arguments[i].isTensor() ? &arguments[i].toTensor() : nullptr;
  }
};

/// Lives forever once installed: torch's table points to it. A key without a kernel of its own may be routed as well;
/// then a call that falls through is torch's error.
class BoxedRouter final : public OverridePoint {
 public:
  BoxedRouter(std::string op, std::string overload, c10::DispatchKey key);

  void install() override;
  void uninstall() override;
  bool installed() const override { return library_ != nullptr; }
  OverrideHandle add_boxed(std::string name, ConditionProgram condition,
                           std::shared_ptr<const BoxedServer> server) override;
  std::vector<std::string> originals() const override;

  /// A call as torch's table makes it: the last values of the stack are the arguments.
  void route(c10::DispatchKeySet keys, torch::jit::Stack& stack) const;

 private:
  void capture();
  bool serve(torch::jit::Stack& stack) const;
  bool serve_by(const BoxedNode& node, ReadSection& section, torch::jit::Stack& stack) const;
  void call_original(c10::DispatchKeySet keys, torch::jit::Stack& stack) const;

  std::size_t arguments_;
  std::optional<Original> original_;  // empty: torch has no kernel at the key
  std::unique_ptr<torch::Library> library_;
};

}  // namespace opyard
