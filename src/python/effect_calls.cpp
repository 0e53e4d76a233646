#include <boundary/boundary.h>
#include <opyard/error.h>
#include <python/effect_calls.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

PyObject* overload_of(const OperatorFacts& facts, const Effects& effects) {
  for (const EffectBranch& branch : facts.branches)
    if (branch.effects == effects) return branch.overload;
  return facts.overload;
}

py::tuple places_of(const Effects& effects) {
  py::tuple places(effects.emitted.size());
  std::size_t made = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!effects.emitted[i])
      places[i] = py::none();
    else if (effects.aliased[i] >= 0)
      places[i] = py::make_tuple("input", effects.aliased[i]);
    else
      places[i] = py::make_tuple("new", made++);
  }
  return places;
}

py::object placed(const Effects& effects, PyObject* const* inputs, const py::object& results) {
  const bool several = py::isinstance<py::tuple>(results) || py::isinstance<py::list>(results);
  py::tuple outputs(effects.emitted.size());
  std::size_t made = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!effects.emitted[i])
      outputs[i] = py::none();
    else if (effects.aliased[i] >= 0)
      outputs[i] = py::reinterpret_borrow<py::object>(inputs[effects.aliased[i]]);
    else
      outputs[i] = several ? py::object(results[py::int_(made++)]) : results;
  }
  if (outputs.empty()) return py::none();
  return outputs.size() == 1 ? py::object(outputs[0]) : outputs;
}

// The point of the parameters, and of tensors given at construction.
std::uint64_t point_of(const InstanceSpec& spec) {
  c10::SmallVector<bool, 16> present(spec.signature().inputs().size(), false);
  for (const at::Tensor& tensor : spec.construction().tensors) present.push_back(tensor.defined());
  return opyard::point_of(spec.signature().program(), spec.construction(), present);
}

py::dict new_effect_table(const InstanceSpec& spec, const OperatorFacts& facts) {
  const Signature& signature = spec.signature();
  std::vector<std::size_t> optional;
  for (std::size_t i = 0; i < signature.inputs().size(); ++i)
    if (signature.inputs()[i].optional) optional.push_back(i);
  py::dict table;
  for (std::size_t choice = 0; choice < std::size_t{1} << optional.size(); ++choice) {
    c10::SmallVector<bool, 16> present(signature.inputs().size(), true);
    py::tuple key(optional.size());
    for (std::size_t i = 0; i < optional.size(); ++i) {
      present[optional[i]] = (choice >> i & 1) != 0;
      key[i] = py::bool_(present[optional[i]]);
    }
    Effects effects = facts.branches.front().effects;
    try {
      effects = effects_of(signature, spec.construction(), present);
    } catch (const SignatureError&) {
      // An excluded call: whichever custom op it reaches says so, with the call's own facts.
    }
    table[key] = py::make_tuple(py::handle(overload_of(facts, effects)), places_of(effects));
  }
  return table;
}

}  // namespace

std::vector<EffectBranch> branches_of(const Signature& signature) {
  std::vector<EffectBranch> branches;
  if (!has_effects(signature)) return branches;
  const py::object ops = py::module_::import("torch").attr("ops").attr("opyard");
  for (const Effects& effects : effect_branches(signature)) {
    py::object overload = ops.attr(boundary_name(signature, effects).c_str()).attr("default");
    branches.push_back({effects, overload.release().ptr()});
  }
  return branches;
}

py::dict effect_table(py::handle op) {
  const InstanceSpec& spec = instance_of(op)->spec();
  const OperatorFacts& facts = *reinterpret_cast<OpObject*>(op.ptr())->facts;
  if (facts.branches.empty()) return {};  // without a boundary no custom op is chosen
  py::dict& table = facts.effect_tables[point_of(spec)];
  if (table.empty()) table = new_effect_table(spec, facts);
  return table;
}

PyObject* call_branch(const OpObject& op, PyObject* const* arguments, std::size_t count) {
  c10::SmallVector<bool, 16> present;
  for (std::size_t i = 0; i < count; ++i) present.push_back(arguments[i] != Py_None);
  const Effects effects = effects_of(*op.facts->signature, op.instance->spec().construction(), present);
  PyObject* overload = overload_of(*op.facts, effects);
  const py::object results =
      py::reinterpret_steal<py::object>(PyObject_Vectorcall(overload, arguments, count + 1, nullptr));
  if (!results) return nullptr;
  return placed(effects, arguments, results).release().ptr();
}

}  // namespace opyard::python
