// Builds as Python's listener hears of them.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds set_build_listener.
void add_build_events(pybind11::module_& module);

}  // namespace opyard::python
