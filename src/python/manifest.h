// Manifests from Python: loading, validating, and the calls that their rows state.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds `load_manifest(path)`, `validate_manifest(path)`, `workload_cases(operator)` and `Manifest(path)`: operators
/// that are checked but not registered.
void add_manifest(pybind11::module_& module);

}  // namespace opyard::python
