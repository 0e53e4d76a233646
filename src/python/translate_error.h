// C++ exceptions become Python's at this one edge.
#pragma once

#include <opyard/error.h>
#include <pybind11/pybind11.h>

namespace opyard::python {

/// Sets the Python error for the exception in flight; for use in a catch (...) block. opyard's own become the classes
/// of opyard.errors, torch's what torch makes of them.
void set_python_error() noexcept;

/// Throws it as torch's own carrier of Python exceptions, which crosses torch's functions unchanged. Does nothing once
/// the interpreter is gone.
void throw_as_python(const Error& error);

/// Lets exceptions that leave a custom op through torch's binding become opyard's Python classes too.
void register_translator();

}  // namespace opyard::python
