// The C type under every operator class: calls arrive by vectorcall.
#pragma once

#include <call/instance.h>
#include <pybind11/pybind11.h>
#include <signature/effects.h>

#include <map>
#include <memory>
#include <vector>

namespace opyard::python {

/// A custom op, for the calls that have these effects.
struct EffectBranch {
  Effects effects;
  PyObject* overload;
};

/// What all instances of one operator need of it in a call. Lives as long as the process.
struct OperatorFacts {
  std::shared_ptr<const Signature> signature;
  std::vector<PyObject*> names;        // interned input names, in order
  PyObject* overload = nullptr;        // the custom op as torch.ops gives it; null without a boundary
  std::vector<EffectBranch> branches;  // where calls differ in what they write or return
  // What a traced call reads, by point of the parameters: instances constructed alike share it.
  mutable std::map<std::uint64_t, pybind11::dict> effect_tables;
};

struct OpObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  std::shared_ptr<Instance> instance;  // null until constructed
  const OperatorFacts* facts;
  PyObject* instance_key;  // names this instance
  PyObject* graph_key;     // the text of its spec: stands in graphs, which may outlive it
};

/// Adds `OpBase` to the module, with `_construct(op, params, target, install)`, and `restore_vectorcall(cls)`.
void add_op_type(pybind11::module_& module);

/// The instance behind an operator object. Throws TypeError when it is none or not constructed.
const std::shared_ptr<Instance>& instance_of(pybind11::handle object);

}  // namespace opyard::python
