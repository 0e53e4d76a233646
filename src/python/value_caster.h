// Parameter values between Python and C++.
#pragma once

#include <opyard/value.h>
#include <pybind11/pybind11.h>

namespace opyard::python {

/// None, bool, int, float, str, torch.dtype, torch.device, list or tuple. Throws SignatureError for anything else,
/// naming the argument.
Value to_value(pybind11::handle object, const std::string& op, const std::string& argument);

pybind11::object to_python(const Value& value);

}  // namespace opyard::python
