#include <boundary/boundary.h>
#include <call/explain.h>
#include <manifest/reader.h>
#include <opyard/error.h>
#include <pybind11/stl.h>
#include <python/call_arguments.h>
#include <python/effect_calls.h>
#include <python/introspect.h>
#include <python/op_type.h>
#include <python/value_caster.h>
#include <signature/composition.h>

#include <algorithm>

namespace opyard::python {
namespace py = pybind11;

namespace {

py::object tensor_entry(const TensorFacts& facts) {
  py::tuple shape(facts.sizes.size());
  for (std::size_t i = 0; i < facts.sizes.size(); ++i) shape[i] = facts.sizes[i];
  return py::make_tuple(shape, dtype_name(facts.dtype));
}

py::dict values_dict(const std::vector<NamedValue>& values) {
  py::dict dict;
  for (const auto& [name, value] : values) dict[name.c_str()] = to_python(value);
  return dict;
}

py::dict record_dict(const CallRecordPtr& record) {
  py::dict tensors;
  for (const NamedTensors& group : {record->spec.inputs(), record->spec.outputs()})
    for (const auto& [name, facts] : group)
      if (facts.present) tensors[name.c_str()] = tensor_entry(facts);
  py::dict dict;
  dict["operator"] = record->spec.op();
  dict["implementation"] = record->implementation;
  dict["target"] = record->target;
  dict["device"] = to_python(record->spec.device);
  dict["params"] = values_dict(record->spec.params());
  dict["indices"] = values_dict(record->spec.indices());
  dict["tensors"] = tensors;
  py::dict stages;
  for (const auto& [stage, calls] : record->stages) {
    py::tuple all(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) all[i] = record_dict(calls[i]);
    stages[stage.c_str()] = all;
  }
  dict["stages"] = stages;
  return dict;
}

py::object last_call(py::handle op) {
  const CallRecordPtr record = instance_of(op)->last_call();
  return record ? py::object(record_dict(record)) : py::object(py::none());
}

py::object serving_target(py::handle op) {
  const Target* target = instance_of(op)->serving_target();
  return target == nullptr ? py::object(py::none()) : py::cast(target->name);
}

py::list held_delegates(py::handle op) {
  py::list rows;
  for (const auto& held : instance_of(op)->delegates().held())
    rows.append(py::make_tuple(held.stage, held.instance->key()));
  return rows;
}

// The same declaration again, as when a module is loaded anew, is the operator that is there.
void add_operator(const std::string& op, const std::string& text, const std::string& file) {
  Registry& registry = Registry::process();
  const auto signature = Signature::compile(read_entry({op, file, parse_yaml(text, file), {}}, false));
  const std::vector<std::string> known = registry.operators();
  if (std::find(known.begin(), known.end(), op) != known.end() &&
      registry.find(op).signature->digest() == signature->digest())
    return;
  registry.add_operator(signature);
  define_boundary(registry, signature);
}

py::dict describe(const std::string& op) {
  const Signature& signature = *Registry::process().find(op).signature;
  py::list inputs, params, outputs;
  for (const auto& input : signature.inputs())
    inputs.append(py::make_tuple(input.name, input.optional, input.keyword_only));
  for (const auto& output : signature.outputs()) outputs.append(output.name);
  for (const auto& param : signature.params())
    params.append(py::make_tuple(param.name, param.type, param.default_value.has_value(),
                                 param.default_value ? to_python(*param.default_value) : py::object(py::none()),
                                 param.keyword_only));
  py::dict dict;
  dict["family"] = signature.family();
  dict["declared_at"] = signature.declared_at();
  dict["inputs"] = inputs;
  dict["params"] = params;
  dict["outputs"] = outputs;
  dict["has_effects"] = has_effects(signature);
  dict["compile_op_names"] = compile_op_names(signature);
  dict["composite"] = is_composite(signature);
  return dict;
}

std::string explain_call(py::handle op, const py::args& args, const py::kwargs& kwargs) {
  const std::shared_ptr<Instance>& instance = instance_of(op);
  const CallArguments arguments = read_arguments(*reinterpret_cast<OpObject*>(op.ptr())->facts, args, kwargs);
  return explain(*instance, arguments.tensors);
}

py::list served() {
  py::list rows;
  for (const auto& count : Registry::process().served())
    rows.append(py::make_tuple(count.op, count.implementation, count.calls));
  return rows;
}

}  // namespace

void add_introspection(py::module_& module) {
  module.def("operators", [] { return Registry::process().operators(); });
  module.def("describe", describe);
  module.def("last_call", last_call);
  module.def("serving_target", serving_target);
  module.def("spec_text", [](py::handle op) { return instance_of(op)->spec().text(); });
  module.def("explain", explain_call);
  module.def("effect_table", effect_table);
  module.def("held_delegates", held_delegates);
  module.def("declare_stages", [](py::handle op, std::vector<std::string> stages) {
    instance_of(op)->delegates().declare(std::move(stages));
  });
  module.def("hold_delegate", [](py::handle op, std::string stage, py::handle held) {
    instance_of(op)->delegates().hold(std::move(stage), instance_of(held));
  });
  module.def("construction_indices",
             [](py::handle op) { return values_dict(instance_of(op)->spec().construction().indices); });
  module.def("add_operator", add_operator);
  module.def("cache_counts", [] {
    py::list rows;
    for (const auto& [op, count] : InstanceSpec::cache_counts())
      rows.append(
          py::make_tuple(op, count.specs, count.plans, count.plan_evictions, count.entries, count.entry_evictions));
    return rows;
  });
  module.def("cache_bounds", [] { return std::pair(PlanCache::kDefaultCapacity, EntryCache::kDefaultCapacity); });
  module.def("served", served);
  module.def("reset_served", [] { Registry::process().reset_served(); });
}

}  // namespace opyard::python
