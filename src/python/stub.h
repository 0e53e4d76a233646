// An implementation that does nothing, to measure or test what the runtime itself costs.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds `stub(op, output)`: registers an implementation, preferred over all others, whose every call returns the given
/// tensor; the object returned owns the registration.
void add_stub(pybind11::module_& module);

}  // namespace opyard::python
