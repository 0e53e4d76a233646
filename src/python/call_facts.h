// A call spec as plain Python values.
#pragma once

#include <opyard/implementation.h>
#include <pybind11/pybind11.h>

namespace opyard::python {

/// `device`, `arch`, and by name `inputs`, `outputs` (shape, dtype, strides; None where absent), `params`, `indices`.
pybind11::dict call_facts(const CallSpec& call);

pybind11::tuple shape_tuple(c10::ArrayRef<std::int64_t> sizes);

}  // namespace opyard::python
