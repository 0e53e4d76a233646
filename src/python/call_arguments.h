// The arguments of a Python call, laid out in the order of the signature.
#pragma once

#include <ATen/core/Tensor.h>
#include <python/op_type.h>

namespace opyard::python {

constexpr std::size_t kMaxInputs = 32;
constexpr std::size_t kMaxOutputs = 8;

/// Borrowed from the caller, who holds them for the length of the call; null where absent.
struct CallArguments {
  PyObject* objects[kMaxInputs];
  const at::Tensor* tensors[kMaxInputs];
  bool plain = true;  // every one is an exact torch.Tensor or Parameter

  /// False when an argument is missing, unknown, given twice or too many: `fail_arguments` says which.
  bool read(const OperatorFacts& facts, PyObject* const* args, std::size_t positional, PyObject* names);

 private:
  bool place(const OperatorFacts& facts, PyObject* name, PyObject* object);
  void set(std::size_t i, PyObject* object);
};

/// The arguments of a call written in Python, which must outlive the result: tensors or None. Throws SignatureError.
CallArguments read_arguments(const OperatorFacts& facts, const pybind11::tuple& args, const pybind11::dict& kwargs);

/// Throws the SignatureError of a call that `read` refused.
[[noreturn]] void fail_arguments(const OperatorFacts& facts, PyObject* const* args, std::size_t positional,
                                 PyObject* names);

/// Throws the SignatureError of an argument that is no tensor.
[[noreturn]] void fail_no_tensor(const OperatorFacts& facts, std::size_t i, PyObject* object);

}  // namespace opyard::python
