#include <manifest/schema.h>
#include <python/declaration.h>
#include <python/op_type.h>
#include <python/value_caster.h>
#include <registry/registry.h>
#include <signature/program.h>
#include <torch/csrc/autograd/python_variable.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

py::object to_python(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kBool:
      return py::bool_(node.integer != 0);
    case Node::Kind::kInt:
      return py::int_(node.integer);
    case Node::Kind::kFloat:
      return py::float_(node.number);
    case Node::Kind::kString:
      return py::str(node.text);
    case Node::Kind::kList: {
      py::list items;
      for (const Node& item : node.items) items.append(to_python(item));
      return items;
    }
    case Node::Kind::kMap: {
      py::dict dict;
      for (std::size_t i = 0; i < node.keys.size(); ++i) dict[node.keys[i].c_str()] = to_python(node.items[i]);
      return dict;
    }
    case Node::Kind::kNull:
      break;
  }
  return py::none();
}

py::list texts_of(const std::vector<Text>& texts) {
  py::list list;
  for (const Text& text : texts) list.append(text.text);
  return list;
}

py::dict tensor_dict(const TensorDecl& tensor) {
  py::dict dict;
  dict["name"] = tensor.name;
  dict["dtype"] = tensor.dtype.text;
  dict["shape"] = tensor.shape.text;
  dict["optional"] = tensor.optional;
  dict["present_when"] = tensor.present_when.text;
  dict["contiguous"] = tensor.contiguous;
  dict["on_cpu"] = tensor.on_cpu;
  dict["kw_only"] = tensor.kw_only;
  dict["mutated"] = tensor.mutated.text;
  dict["write_only"] = tensor.write_only;
  dict["nullable"] = tensor.nullable.text;
  dict["alias"] = tensor.alias;
  dict["buffer"] = tensor.buffer;
  dict["values"] = tensor.values.text;
  dict["requires"] = texts_of(tensor.requirements);
  return dict;
}

py::list tensor_list(const std::vector<TensorDecl>& tensors) {
  py::list list;
  for (const TensorDecl& tensor : tensors) list.append(tensor_dict(tensor));
  return list;
}

py::list index_list(const std::vector<IndexDecl>& indices) {
  py::list list;
  for (const IndexDecl& index : indices) list.append(py::make_tuple(index.name, index.kind.text));
  return list;
}

py::list family_list(const std::vector<FamilyDecl>& families) {
  py::list list;
  for (const FamilyDecl& family : families) {
    py::list cases;
    for (const FamilyDecl::Case& one : family.cases) {
      py::list when;
      for (const Node& pattern : one.when) when.append(to_python(pattern));
      cases.append(py::make_tuple(when, one.is.text));
    }
    list.append(py::make_tuple(family.name, index_list(family.formals), texts_of(family.match), cases));
  }
  return list;
}

py::list param_list(const Signature& signature, const Schema& schema) {
  py::list list;
  for (std::size_t i = 0; i < schema.params.size(); ++i) {
    const ParameterArgument& param = signature.params()[i];
    py::dict dict;
    dict["name"] = param.name;
    dict["type"] = param.type;
    dict["required"] = !param.default_value.has_value();
    dict["default"] = param.default_value ? python::to_python(*param.default_value) : py::object(py::none());
    dict["kw_only"] = param.keyword_only;
    list.append(dict);
  }
  return list;
}

py::dict declaration(const std::string& op) {
  const Signature& signature = *Registry::process().find(op).signature;
  const Schema& schema = *signature.program().schema;
  py::list lets, rules, combos;
  for (const LetDecl& let : schema.lets) lets.append(py::make_tuple(let.name, let.value.text));
  for (const RuleDecl& rule : schema.rules) rules.append(py::make_tuple(rule.label, rule.rule.text));
  for (const DtypeCombo& combo : schema.dtype_combos) combos.append(py::cast(combo));
  py::dict dict;
  dict["name"] = schema.op;
  dict["family"] = schema.family;
  dict["declared_at"] = signature.declared_at();
  dict["ref_api"] = schema.ref_api;
  dict["summary"] = schema.summary;
  dict["example"] = schema.example;
  dict["forall"] = index_list(schema.forall);
  dict["types"] = family_list(schema.families);
  dict["params"] = param_list(signature, schema);
  dict["construction_tensors"] = tensor_list(schema.construction_tensors);
  dict["inputs"] = tensor_list(schema.inputs);
  dict["outputs"] = tensor_list(schema.outputs);
  dict["lets"] = lets;
  dict["rules"] = rules;
  dict["dtype_combos"] = combos;
  for (const auto& [key, node] : {std::pair{"workloads", &schema.workloads},
                                  {"roofline", &schema.roofline},
                                  {"composition", &schema.composition},
                                  {"backward", &schema.backward},
                                  {"parallel", &schema.parallel},
                                  {"aten", &schema.aten},
                                  {"tolerance", &schema.tolerance},
                                  {"reference", &schema.reference}})
    dict[key] = to_python(*node);
  return dict;
}

py::dict parameters(py::handle op) {
  const InstanceSpec& spec = instance_of(op)->spec();
  py::dict dict;
  for (std::size_t i = 0; i < spec.signature().params().size(); ++i)
    dict[spec.signature().params()[i].name.c_str()] = python::to_python(spec.construction().params[i]);
  const auto& taken = spec.signature().program().schema->construction_tensors;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (const at::Tensor& tensor = spec.construction().tensors[i]; tensor.defined())
      dict[taken[i].name.c_str()] = py::reinterpret_steal<py::object>(THPVariable_Wrap(tensor));
  return dict;
}

}  // namespace

void add_declaration(py::module_& module) {
  module.def("declaration", declaration);
  module.def("parameters", parameters);
}

}  // namespace opyard::python
