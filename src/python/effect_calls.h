// Calls of operators whose effects differ from call to call: each goes through the custom op of its own.
#pragma once

#include <pybind11/pybind11.h>
#include <python/op_type.h>

namespace opyard::python {

/// The custom op of each effect branch, as torch.ops gives it. Empty for an operator without effects.
std::vector<EffectBranch> branches_of(const Signature& signature);

/// For each presence of the optional inputs, in order: the custom op, and for each output ("new", n), ("input", n) or
/// None. Read by a traced `__call__`.
pybind11::dict effect_table(pybind11::handle op);

/// Calls the branch for these arguments, `count` inputs and the key, and puts inputs and None where outputs are them.
PyObject* call_branch(const OpObject& op, PyObject* const* arguments, std::size_t count);

}  // namespace opyard::python
