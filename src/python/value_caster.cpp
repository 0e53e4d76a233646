#include <opyard/error.h>
#include <python/value_caster.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/utils/tensor_dtypes.h>

namespace opyard::python {
namespace py = pybind11;

Value to_value(py::handle object, const std::string& op, const std::string& argument) {
  PyObject* raw = object.ptr();
  if (object.is_none()) return {};
  if (PyBool_Check(raw)) return raw == Py_True;
  if (PyFloat_Check(raw)) return PyFloat_AS_DOUBLE(raw);
  if (PyUnicode_Check(raw)) return object.cast<std::string>();
  if (THPDtype_Check(raw)) return reinterpret_cast<THPDtype*>(raw)->scalar_type;
  if (THPDevice_Check(raw)) return reinterpret_cast<THPDevice*>(raw)->device;
  if (PyList_Check(raw) || PyTuple_Check(raw)) {
    Sequence items;
    for (const auto item : object) items.push_back(to_value(item, op, argument));
    return items;
  }
  if (PyIndex_Check(raw)) {
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(raw));
    if (!index) throw py::error_already_set();
    const long long number = PyLong_AsLongLong(index.ptr());
    if (number == -1 && PyErr_Occurred()) throw py::error_already_set();
    return static_cast<std::int64_t>(number);
  }
  throw SignatureError(SignatureError::Kind::kType, "a parameter has a type that no declaration uses",
                       {.op = op,
                        .argument = argument,
                        .expected = "None, bool, int, float, str, torch.dtype, torch.device, or a sequence of them",
                        .got = Py_TYPE(raw)->tp_name});
}

py::object to_python(const Value& value) {
  return std::visit(
      [](const auto& held) -> py::object {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return py::none();
        } else if constexpr (std::is_same_v<T, c10::ScalarType>) {
          return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(torch::getTHPDtype(held)));
        } else if constexpr (std::is_same_v<T, c10::Device>) {
          return py::reinterpret_steal<py::object>(THPDevice_New(held));
        } else if constexpr (std::is_same_v<T, Sequence>) {
          py::list items;
          for (const Value& item : held) items.append(to_python(item));
          return items;
        } else {
          return py::cast(held);
        }
      },
      value.data);
}

}  // namespace opyard::python
