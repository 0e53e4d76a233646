// A declaration as data, for documentation and tests: what stands in the manifest, text by text. Cold.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds declaration(op) and parameters(instance).
void add_declaration(pybind11::module_& module);

}  // namespace opyard::python
