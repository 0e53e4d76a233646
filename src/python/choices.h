// What a user decides over selection, from Python.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Adds set_choices, choices_number, take_differences, recorded_selections, forget_selections.
void add_choices(pybind11::module_& module);

}  // namespace opyard::python
