// What the Python package switches on and off: routes, measurements, counters.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds routes, use_routes, leave_routes, measure, fix_measured.
void add_control(pybind11::module_& module);

}  // namespace opyard::python
