#include <boundary/boundary.h>
#include <opyard/error.h>
#include <python/body.h>
#include <python/call_arguments.h>
#include <python/effect_calls.h>
#include <python/op_type.h>
#include <python/translate_error.h>
#include <python/value_caster.h>
#include <python/vectorcall.h>
#include <structmember.h>
#include <torch/csrc/autograd/python_variable.h>

#include <map>
#include <new>

namespace opyard::python {
namespace py = pybind11;

namespace {

PyTypeObject* op_base = nullptr;

// Guarded by the interpreter lock. Never freed: instances may be called while the interpreter ends.
const OperatorFacts& facts_of(const std::shared_ptr<const Signature>& signature) {
  static auto& known = *new std::map<const Signature*, OperatorFacts>;
  OperatorFacts& facts = known[signature.get()];
  if (facts.signature != nullptr) return facts;
  if (signature->inputs().size() > kMaxInputs || signature->outputs().size() > kMaxOutputs)
    throw ManifestError(
        "an operator declares more tensors than a call can carry",
        {.op = signature->op(), .expected = std::to_string(kMaxInputs), .declared_at = signature->declared_at()});
  facts.signature = signature;
  for (const auto& input : signature->inputs()) {
    facts.names.push_back(PyUnicode_InternFromString(input.name.c_str()));
  }
  if (!compile_op_names(*signature).empty()) {
    const py::object ops = py::module_::import("torch").attr("ops").attr("opyard");
    const std::string name = boundary_name(*signature, effect_branches(*signature).front());
    py::object overload = ops.attr(name.c_str()).attr("default");
    facts.overload = overload.release().ptr();
    facts.branches = branches_of(*signature);
  }
  return facts;
}

OpObject& object_of(PyObject* self) { return *reinterpret_cast<OpObject*>(self); }

PyObject* op_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  OpObject& op = object_of(self);
  op.vectorcall = op_vectorcall;
  new (&op.instance) std::shared_ptr<Instance>();
  return self;
}

void op_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  OpObject& op = object_of(self);
  if (op.instance != nullptr && op.instance->body() != nullptr) static_cast<PythonBody&>(*op.instance->body()).detach();
  op.instance.~shared_ptr();
  Py_CLEAR(op.instance_key);
  Py_CLEAR(op.graph_key);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int op_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return 0;
}

using Tensors = std::vector<std::pair<std::string, at::Tensor>>;

// Parameters apart from tensors, which a few operators take at construction.
void read_parameters(const char* op, const py::dict& params, std::vector<NamedValue>& values, Tensors& tensors) {
  for (const auto& item : params) {
    const auto key = item.first.cast<std::string>();
    if (THPVariable_Check(item.second.ptr()))
      tensors.emplace_back(key, THPVariable_Unpack(item.second.ptr()));
    else
      values.emplace_back(key, to_value(item.second, op, key));
  }
}

std::string target_text(const char* op, PyObject* target) {
  if (target == Py_None) return {};
  if (PyUnicode_Check(target)) return py::handle(target).cast<std::string>();
  throw SignatureError(
      SignatureError::Kind::kType, "a target is no name",
      {.op = op, .argument = "target", .expected = "str, opyard.BUILTIN or None", .got = Py_TYPE(target)->tp_name});
}

// The instance of an operator with a body: its parameters are settled, then its table is installed, then it exists.
void construct_with_body(PyObject* self, const char* op, const std::vector<NamedValue>& values, const Tensors& tensors,
                         const std::string& target, PyObject* install) {
  Registry& registry = Registry::process();
  const auto signature = registry.find(op).signature;
  Construction construction = signature->construct(values, tensors);
  const bool has_kernels = py::cast<bool>(py::handle(install)());
  auto instance = Instance::make(InstanceSpec::alone(registry, op, std::move(construction), target));
  instance->set_body(std::make_shared<PythonBody>(self, signature, has_kernels));
  object_of(self).instance = std::move(instance);
}

// _construct(op, params, target, install): settles the parameters and makes the instance. `install` is None, or for an
// operator with a body installs its table and tells whether it has kernels of its own.
PyObject* op_construct(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  PyObject *params = nullptr, *target = nullptr, *install = nullptr;
  if (!PyArg_ParseTuple(args, "sO!OO", &name, &PyDict_Type, &params, &target, &install)) return nullptr;
  try {
    std::vector<NamedValue> values;
    Tensors tensors;
    read_parameters(name, py::reinterpret_borrow<py::dict>(params), values, tensors);
    const std::string requested = target_text(name, target);
    Registry& registry = Registry::process();
    OpObject& op = object_of(self);
    if (install != Py_None) {
      construct_with_body(self, name, values, tensors, requested, install);
    } else if (!tensors.empty()) {
      Construction construction = registry.find(name).signature->construct(values, tensors);
      op.instance = Instance::make(InstanceSpec::alone(registry, name, std::move(construction), requested));
    } else {
      op.instance = Instance::make(registry, name, values, requested);
    }
    op.facts = &facts_of(op.instance->spec().signature_ptr());
    const std::string& text = op.instance->spec().text();
    Py_XSETREF(op.instance_key, py::str(op.instance->key()).release().ptr());
    Py_XSETREF(op.graph_key, py::str(text.empty() ? op.instance->key() : text).release().ptr());
    Py_RETURN_NONE;
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// A class statement that defines `__call__` points tp_call at it. The call slot goes back to vectorcall, and the
// Python method stays in the class for tracers to read.
void restore_vectorcall(py::handle cls) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  if (!PyType_Check(cls.ptr()) || !PyType_IsSubtype(type, op_base))
    throw py::type_error("restore_vectorcall: expected a subclass of OpBase, got " + std::string(py::str(cls)));
  type->tp_call = PyVectorcall_Call;
  type->tp_vectorcall_offset = op_base->tp_vectorcall_offset;
  type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
}

PyMethodDef op_methods[] = {{"_construct", op_construct, METH_VARARGS, "Settles parameters and makes the instance."},
                            {nullptr, nullptr, 0, nullptr}};

PyMemberDef op_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, vectorcall), READONLY, nullptr},
    {"_instance_key", T_OBJECT, offsetof(OpObject, instance_key), READONLY, "The key of this instance."},
    {"_graph_key", T_OBJECT, offsetof(OpObject, graph_key), READONLY, "What stands for it in a graph."},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot op_slots[] = {{Py_tp_new, reinterpret_cast<void*>(op_new)},
                          {Py_tp_dealloc, reinterpret_cast<void*>(op_dealloc)},
                          {Py_tp_traverse, reinterpret_cast<void*>(op_traverse)},
                          {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                          {Py_tp_methods, op_methods},
                          {Py_tp_members, op_members},
                          {0, nullptr}};

PyType_Spec op_type_spec = {"opyard._C.OpBase", sizeof(OpObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                            op_slots};

}  // namespace

const std::shared_ptr<Instance>& instance_of(py::handle object) {
  if (!PyObject_TypeCheck(object.ptr(), op_base) || object_of(object.ptr()).instance == nullptr)
    throw py::type_error("expected a constructed opyard operator, got " + std::string(Py_TYPE(object.ptr())->tp_name));
  return object_of(object.ptr()).instance;
}

void add_op_type(py::module_& module) {
  op_base = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&op_type_spec));
  if (op_base == nullptr) throw py::error_already_set();
  module.attr("OpBase") = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(op_base));
  module.def("restore_vectorcall", restore_vectorcall);
}

}  // namespace opyard::python
