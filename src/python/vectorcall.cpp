#include <call/plain_call.h>
#include <call/run_call.h>
#include <opyard/error.h>
#include <python/call_arguments.h>
#include <python/effect_calls.h>
#include <python/interpreter_lock.h>
#include <python/translate_error.h>
#include <python/vectorcall.h>
#include <torch/csrc/autograd/python_variable.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

PyObject* wrap(at::Tensor* outputs, std::size_t count) {
  const auto one = [](at::Tensor& output) -> PyObject* {
    if (!output.defined()) Py_RETURN_NONE;
    return THPVariable_Wrap(std::move(output));
  };
  if (count == 1) [[likely]]
    return one(outputs[0]);
  if (count == 0) Py_RETURN_NONE;
  py::tuple all(count);
  for (std::size_t i = 0; i < count; ++i) PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), one(outputs[i]));
  return all.release().ptr();
}

PyObject* call_plain(const OpObject& op, const CallArguments& arguments) {
  at::Tensor outputs[kMaxOutputs];
  InterpreterLock lock;
  run_call(*op.instance, arguments.tensors, outputs, &lock);
  return wrap(outputs, op.facts->signature->outputs().size());
}

// A composite's body, or an operator without tensors: subclasses and modes meet the calls that it makes.
[[gnu::noinline]] PyObject* call_without_boundary(const OpObject& op, CallArguments& arguments) {
  for (std::size_t i = 0; i < op.facts->names.size(); ++i) {
    PyObject* object = arguments.objects[i];
    if (object == nullptr || arguments.tensors[i] != nullptr) continue;
    if (!THPVariable_Check(object)) fail_no_tensor(*op.facts, i, object);
    arguments.tensors[i] = &THPVariable_Unpack(object);
  }
  return call_plain(op, arguments);
}

// Through torch's dispatcher, where modes, autograd, autocast, the profiler and subclasses see the call.
[[gnu::noinline]] PyObject* call_boundary(const OpObject& op, const CallArguments& arguments) {
  const OperatorFacts& facts = *op.facts;
  const std::size_t count = facts.names.size();
  PyObject* all[kMaxInputs + 1];
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* object = arguments.objects[i];
    if (object == nullptr && !facts.signature->inputs()[i].optional)
      throw SignatureError(SignatureError::Kind::kType, "a required argument is missing",
                           {.op = facts.signature->op(),
                            .argument = facts.signature->inputs()[i].name,
                            .expected = "a torch.Tensor",
                            .got = "nothing",
                            .declared_at = facts.signature->declared_at()});
    if (object != nullptr && arguments.tensors[i] == nullptr && !THPVariable_Check(object) &&
        PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__torch_function__") == 0)
      fail_no_tensor(facts, i, object);
    all[i] = object == nullptr ? Py_None : object;
  }
  all[count] = may_be_traced(arguments.tensors, count) || !arguments.plain ? op.graph_key : op.instance_key;
  if (!facts.branches.empty()) return call_branch(op, all, count);
  return PyObject_Vectorcall(facts.overload, all, count + 1, nullptr);
}

}  // namespace

PyObject* op_vectorcall(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names) {
  const auto& op = *reinterpret_cast<OpObject*>(self);
  const std::size_t positional = static_cast<std::size_t>(PyVectorcall_NARGS(nargsf));
  try {
    if (op.instance == nullptr) [[unlikely]]
      throw SignatureError(
          SignatureError::Kind::kType, "an operator is called before it is constructed",
          {.op = Py_TYPE(self)->tp_name, .advice = "call super().__init__ at the end of its constructor"});
    CallArguments arguments;
    if (!arguments.read(*op.facts, args, positional, names)) [[unlikely]]
      fail_arguments(*op.facts, args, positional, names);
    if (arguments.plain && thread_is_plain() && tensors_are_plain(arguments.tensors, op.facts->names.size())) [[likely]]
      return call_plain(op, arguments);
    if (op.facts->overload == nullptr) return call_without_boundary(op, arguments);
    return call_boundary(op, arguments);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace opyard::python
