// Targets that Python packages register.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds register_detector, register_kernel_builder, set_default_target, default_target, registered_targets.
void add_targets(pybind11::module_& module);

}  // namespace opyard::python
