// An override whose condition or implementation is Python's: the GIL is taken for these alone.
#pragma once

#include <override/boxed_server.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <string>
#include <vector>

namespace opyard::python {

/// Calls Python functions with the arguments as torch.library passes them: those that are keyword-only by keyword,
/// trailing ones left out where they equal their defaults.
class PythonServer final : public BoxedServer {
 public:
  /// `condition` may be None: then every call is served. Holds both until the last call through it has ended.
  PythonServer(std::string name, const c10::FunctionSchema& schema, pybind11::object condition,
               pybind11::object implementation);
  ~PythonServer() override;

  /// An implementation that gives NotImplemented declines. One that raises ImportError cannot start: a warning says so
  /// once, and it is not tried again. Everything else that it raises reaches the caller; what the condition raises
  /// becomes a ConditionError.
  Outcome serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                torch::jit::Stack& results) const override;

 private:
  struct Parameter {
    std::string name;
    c10::TypeKind kind;  // of the element where it is optional
    bool keyword_only;
    const c10::IValue* default_value;  // null: none
  };

  struct Call;  // the arguments as Python objects

  bool asks_and_holds(const Call& call) const;
  Outcome run(const c10::OperatorHandle& op, const Call& call, torch::jit::Stack& results) const;
  c10::IValue to_result(const c10::OperatorHandle& op, const c10::Argument& declared,
                        const pybind11::object& object) const;
  Outcome note_cannot_start(const c10::OperatorHandle& op) const;

  std::string name_;
  std::vector<Parameter> parameters_;
  PyObject* condition_;  // null: none
  PyObject* implementation_;
  mutable std::atomic<bool> cannot_start_{false};
};

}  // namespace opyard::python
