// What a call would return, without running it.
#pragma once

#include <pybind11/pybind11.h>
#include <signature/signature.h>

namespace opyard::python {

/// Adds `infer(op, args, kwargs, symbolic=False)`: the call check, then for each output its shape, dtype and strides in
/// elements, or None where it is absent. Where a size is symbolic, or with `symbolic`, the program runs over SymInt.
void add_infer(pybind11::module_& module);

/// For each output (shape, dtype, strides in elements), or None where it is absent.
pybind11::list outputs_of(const SolvedCall<std::int64_t>& call);

}  // namespace opyard::python
