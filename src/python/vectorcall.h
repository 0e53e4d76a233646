// A Python call of an operator.
#pragma once

#include <python/op_type.h>

namespace opyard::python {

PyObject* op_vectorcall(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names);

}  // namespace opyard::python
