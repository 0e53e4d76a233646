#include <opyard/error.h>
#include <override/raise.h>
#include <python/translate_error.h>
#include <torch/csrc/Exceptions.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

const char* class_of(const Error& error) {
  const auto suffix = [&](const char* type, const char* value) {
    return static_cast<const SignatureError&>(error).kind() == SignatureError::Kind::kType ? type : value;
  };
  if (dynamic_cast<const EndlessRecursion*>(&error)) return "EndlessRecursionError";
  if (dynamic_cast<const ContractError*>(&error)) return suffix("ContractTypeError", "ContractValueError");
  if (dynamic_cast<const SignatureError*>(&error)) return suffix("SignatureTypeError", "SignatureValueError");
  if (dynamic_cast<const OpNotAvailableError*>(&error)) return "OpNotAvailableError";
  if (dynamic_cast<const AmbiguousDispatchError*>(&error)) return "AmbiguousDispatchError";
  if (dynamic_cast<const ManifestError*>(&error)) return "ManifestError";
  if (dynamic_cast<const BuildError*>(&error)) return "BuildError";
  return "OpyardError";
}

void set_error(const Error& error) {
  const py::object type = py::module_::import("opyard.errors").attr(class_of(error));
  const py::object value = type(error.what());
  const ErrorFacts& facts = error.facts();
  value.attr("operator") = facts.op;
  value.attr("argument") = facts.argument;
  value.attr("expected") = facts.expected;
  value.attr("got") = facts.got;
  value.attr("declared_at") = facts.declared_at;
  value.attr("advice") = facts.advice;
  PyErr_SetObject(type.ptr(), value.ptr());
}

PyObject* rethrow() {
  HANDLE_TH_ERRORS
  throw;
  END_HANDLE_TH_ERRORS
}

}  // namespace

void throw_as_python(const Error& error) {
  if (!Py_IsInitialized()) return;
  const py::gil_scoped_acquire gil;
  set_error(error);
  python_error raised;
  raised.persist();
  throw raised;
}

void set_python_error() noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      set_error(error);
    } catch (py::error_already_set& error) {
      error.restore();
    } catch (...) {
      rethrow();  // torch's own edge knows its exceptions and every standard one
    }
  } catch (py::error_already_set& error) {
    error.restore();
  }
}

void register_translator() {
  py::register_exception_translator([](std::exception_ptr exception) {
    try {
      if (exception) std::rethrow_exception(exception);
    } catch (const Error& error) {
      set_error(error);
    }
  });
}

}  // namespace opyard::python
