#include <boundary/boundary.h>
#include <opyard/error.h>
#include <python/call_arguments.h>
#include <python/effect_calls.h>
#include <python/op_type.h>
#include <python/translate_error.h>
#include <python/value_caster.h>
#include <python/vectorcall.h>
#include <structmember.h>

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

// _construct(op, params, target): settles the parameters and makes the instance.
PyObject* op_construct(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  PyObject *params = nullptr, *target = nullptr;
  if (!PyArg_ParseTuple(args, "sO!O", &name, &PyDict_Type, &params, &target)) return nullptr;
  try {
    std::vector<NamedValue> values;
    for (const auto& item : py::reinterpret_borrow<py::dict>(params)) {
      const auto key = item.first.cast<std::string>();
      values.emplace_back(key, to_value(item.second, name, key));
    }
    if (target != Py_None && !PyUnicode_Check(target))
      throw SignatureError(
          SignatureError::Kind::kType, "a target is no name",
          {.op = name, .argument = "target", .expected = "str or None", .got = Py_TYPE(target)->tp_name});
    OpObject& op = object_of(self);
    op.instance = Instance::make(Registry::process(), name, values,
                                 target == Py_None ? std::string() : py::handle(target).cast<std::string>());
    op.facts = &facts_of(Registry::process().find(name).signature);
    Py_XSETREF(op.instance_key, py::str(op.instance->key()).release().ptr());
    Py_XSETREF(op.graph_key, py::str(op.instance->spec().text()).release().ptr());
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
