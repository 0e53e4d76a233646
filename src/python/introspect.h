// What a person may ask of operators and calls. Cold.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds describe, operators, last_call, serving_target, explain, served, reset_served.
void add_introspection(pybind11::module_& module);

}  // namespace opyard::python
