// Registering overrides, their order and their state, for the Python package.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds OverrideHandle, override_boxed, override_points, arrange_overrides, uninstall_routers, AtenOriginal.
void add_overrides(pybind11::module_& module);

}  // namespace opyard::python
