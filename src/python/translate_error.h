// C++ exceptions become Python's at this one edge.
#pragma once

#include <pybind11/pybind11.h>

namespace opyard::python {

/// Sets the Python error for the exception in flight; for use in a catch (...) block. opyard's own become the classes
/// of opyard.errors, torch's what torch makes of them.
void set_python_error() noexcept;

/// Lets exceptions that leave a custom op through torch's binding become opyard's Python classes too.
void register_translator();

}  // namespace opyard::python
