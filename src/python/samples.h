// Calls drawn from a declaration, for opyard.testing. Cold.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds SampleCase, sample_cases, edge_cases, random_cases and sample_dtypes.
void add_samples(pybind11::module_& module);

}  // namespace opyard::python
