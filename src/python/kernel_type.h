// Implementations written in Python: they compete in the same selection as those written in C++.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds register_implementation and select_key.
void add_kernel_types(pybind11::module_& module);

}  // namespace opyard::python
