// The tensors of a run as Python arguments, and a Python result as outputs.
#pragma once

#include <opyard/kernel.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace opyard::python {

pybind11::object wrap_tensor(const at::Tensor& tensor);

/// Each input by position or, where `names` has one for it, by keyword; None where absent. Buffers that the caller gave
/// follow as `out` when there are any.
struct Passing {
  std::vector<std::string> names;  // empty text: by position
  std::size_t outputs = 0;
  std::string who;  // for errors
};

/// Calls `function` with the tensors of `call` and takes what it returns: a tensor, a tuple, or None. The caller has
/// the interpreter lock.
void call_with_tensors(pybind11::handle function, const Passing& passing, KernelCall& call);

}  // namespace opyard::python
