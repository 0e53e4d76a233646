// What Python's tuning asks of the core.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds request_tune, stored_text, device_identity.
void add_tuning(pybind11::module_& module);

}  // namespace opyard::python
