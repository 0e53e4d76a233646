#include <override/raise.h>
#include <python/python_server.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/tensor_layouts.h>
#include <torch/csrc/utils/tensor_memoryformats.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// torch's own error type: it carries the exception to whichever thread called.
[[noreturn]] void throw_python_error() {
  python_error error;
  error.persist();
  throw error;
}

PyObject* checked(PyObject* object) {
  if (object == nullptr) {
    throw_python_error();
  }
  return object;
}

PyObject* new_reference(py::handle object) { return object.inc_ref().ptr(); }

// Numbers that stand for dtypes, layouts and memory formats become torch's objects.
PyObject* to_object(const c10::IValue& value, c10::TypeKind kind) {
  if (value.isTensor()) {
    return checked(THPVariable_Wrap(value.toTensor()));
  }
  if (value.isInt() && kind == c10::TypeKind::ScalarTypeType) {
    return new_reference(reinterpret_cast<PyObject*>(torch::getTHPDtype(static_cast<at::ScalarType>(value.toInt()))));
  }
  if (value.isInt() && kind == c10::TypeKind::LayoutType) {
    return new_reference(reinterpret_cast<PyObject*>(torch::getTHPLayout(static_cast<at::Layout>(value.toInt()))));
  }
  if (value.isInt() && kind == c10::TypeKind::MemoryFormatType) {
    return new_reference(torch::utils::getTHPMemoryFormat(static_cast<at::MemoryFormat>(value.toInt())));
  }
  return torch::jit::toPyObject(value).release().ptr();
}

c10::TypeKind element_kind(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.real_type();
  const bool optional = type->kind() == c10::TypeKind::OptionalType;
  return (optional ? type->castRaw<c10::OptionalType>()->getElementType() : type)->kind();
}

}  // namespace

// A vectorcall's arguments: positional ones first, then those whose names are in `names`.
struct PythonServer::Call {
  Call(const std::vector<Parameter>& parameters, c10::ArrayRef<c10::IValue> arguments) {
    std::size_t end = arguments.size();
    while (end > 0 && parameters[end - 1].keyword_only) {
      --end;
    }
    const std::size_t first_keyword = end;
    while (end > 0 && is_default(parameters[end - 1], arguments[end - 1])) {
      --end;
    }
    for (std::size_t i = 0; i < end; ++i) {
      objects.push_back(to_object(arguments[i], parameters[i].kind));
    }
    positional = end;
    for (std::size_t i = first_keyword; i < arguments.size(); ++i) {
      if (!is_default(parameters[i], arguments[i])) {
        objects.push_back(to_object(arguments[i], parameters[i].kind));
        keywords.push_back(&parameters[i].name);
      }
    }
    if (!keywords.empty()) {
      py::tuple tuple(keywords.size());
      for (std::size_t i = 0; i < keywords.size(); ++i) {
        tuple[i] = py::str(*keywords[i]);
      }
      names = std::move(tuple);
    }
  }
  ~Call() {
    for (PyObject* object : objects) {
      Py_DECREF(object);
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static bool is_default(const Parameter& parameter, const c10::IValue& value) {
    return parameter.default_value != nullptr && *parameter.default_value == value;
  }

  py::object to(PyObject* function) const {
    PyObject* result = PyObject_Vectorcall(function, objects.data(), positional, names.ptr());
    return py::reinterpret_steal<py::object>(result);
  }

  c10::SmallVector<PyObject*, 8> objects;
  std::size_t positional = 0;
  c10::SmallVector<const std::string*, 4> keywords;
  py::object names;  // null: none
};

PythonServer::PythonServer(std::string name, const c10::FunctionSchema& schema, py::object condition,
                           py::object implementation)
    : name_(std::move(name)),
      condition_(condition.is_none() ? nullptr : condition.release().ptr()),
      implementation_(implementation.release().ptr()) {
  for (const c10::Argument& argument : schema.arguments()) {
    const auto& value = argument.default_value();
    parameters_.push_back({argument.name(), element_kind(argument), argument.kwarg_only(), value ? &*value : nullptr});
  }
}

// The last call may end in any thread, also after the interpreter is gone.
PythonServer::~PythonServer() {
  if (Py_IsInitialized()) {
    const WithGil gil;
    Py_XDECREF(condition_);
    Py_DECREF(implementation_);
  }
}

Outcome PythonServer::serve(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                            torch::jit::Stack& results) const {
  if (cannot_start_.load(std::memory_order_relaxed)) {
    return Outcome::kCannotStart;
  }
  const WithGil gil;
  const Call call(parameters_, arguments);
  return asks_and_holds(call) ? run(op, call, results) : Outcome::kConditionFalse;
}

bool PythonServer::asks_and_holds(const Call& call) const {
  if (condition_ == nullptr) {
    return true;
  }
  const py::object answer = call.to(condition_);
  const int holds = answer ? PyObject_IsTrue(answer.ptr()) : -1;
  if (holds < 0) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != nullptr) {
      PyException_SetTraceback(value, trace);
    }
    Py_XDECREF(type);
    Py_XDECREF(trace);
    const py::object error = py::module_::import("opyard.errors").attr("condition_error")(name_, py::handle(value));
    PyException_SetCause(error.ptr(), value);  // takes over the reference
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw_python_error();
  }
  return holds != 0;
}

Outcome PythonServer::run(const c10::OperatorHandle& op, const Call& call, torch::jit::Stack& results) const {
  const py::object result = call.to(implementation_);
  if (!result) {
    return note_cannot_start(op);
  }
  if (result.ptr() == Py_NotImplemented) {
    return Outcome::kDeclined;
  }
  const std::vector<c10::Argument>& returns = op.schema().returns();
  if (returns.size() == 1) {
    results.push_back(to_result(op, returns[0], result));
  } else if (!returns.empty()) {
    const auto items = py::reinterpret_steal<py::object>(
        PySequence_Fast(result.ptr(), "an override of an operator with several results gives a tuple"));
    const auto count = static_cast<std::size_t>(items ? PySequence_Fast_GET_SIZE(items.ptr()) : 0);
    checked(items.ptr());
    for (std::size_t i = 0; i < count; ++i) {
      const c10::Argument& declared = returns[std::min(i, returns.size() - 1)];
      const auto item = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(items.ptr(), i));
      results.push_back(to_result(op, declared, item));
    }
  }
  return Outcome::kServed;
}

c10::IValue PythonServer::to_result(const c10::OperatorHandle& op, const c10::Argument& declared,
                                    const py::object& object) const {
  try {
    return torch::jit::toIValue(object, declared.real_type());
  } catch (const std::exception&) {
    raise(ContractError(SignatureError::Kind::kType, "an override gave another result than its operator",
                        {.op = toString(op.operator_name()),
                         .argument = name_,
                         .expected = declared.real_type()->str(),
                         .got = Py_TYPE(object.ptr())->tp_name,
                         .advice = "return what the operator returns, or NotImplemented to pass the call on"}));
  }
}

Outcome PythonServer::note_cannot_start(const c10::OperatorHandle& op) const {
  py::error_already_set error;  // takes the exception
  if (!py::module_::import("opyard.errors").attr("cannot_start")(error.value()).cast<bool>()) {
    error.restore();
    throw_python_error();
  }
  cannot_start_.store(true, std::memory_order_relaxed);
  const std::string text =
      "the override '" + name_ + "' of " + toString(op.operator_name()) +
      " cannot start and is passed over from now on: " + py::str(error.value()).cast<std::string>();
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) {
    throw_python_error();
  }
  return Outcome::kCannotStart;
}

}  // namespace opyard::python
