// An implementation that does nothing, to measure or test what the runtime itself costs.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds `stub(op, output, microseconds)`: registers an implementation, preferred over all others, whose every call
/// works for so long and returns the given tensor; the object returned owns the registration.
void add_stub(pybind11::module_& module);

}  // namespace opyard::python
