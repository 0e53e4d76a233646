// Making calls ready ahead, and the artefacts on disk.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds warm_up, compile_ahead and the artefact store's functions.
void add_warm_up(pybind11::module_& module);

}  // namespace opyard::python
