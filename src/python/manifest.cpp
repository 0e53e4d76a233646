#include <manifest/faults.h>
#include <opyard/manifest.h>
#include <python/infer.h>
#include <python/manifest.h>
#include <python/value_caster.h>
#include <registry/registry.h>
#include <signature/sample_cases.h>
#include <signature/validate_entry.h>
#include <signature/workload_cases.h>
#include <torch/csrc/DynamicTypes.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

std::vector<std::string> fault_lines(const std::string& path) {
  return to_lines(validate_manifest(path, Registry::process().operators()));
}

py::object contents_tensor(const WorkloadTensor& tensor) {
  if (!tensor.contents) return py::none();
  return py::reinterpret_steal<py::object>(
      THPVariable_Wrap(at::tensor(tensor.contents->values, at::kLong).view(tensor.sizes).to(tensor.dtype)));
}

/// name → (shape, dtype, contents or None, whether it is on the CPU), of the tensors that are there.
py::dict tensors_dict(const std::vector<WorkloadTensor>& tensors) {
  py::dict dict;
  for (const WorkloadTensor& tensor : tensors) {
    if (!tensor.present) continue;
    dict[tensor.name.c_str()] = py::make_tuple(py::tuple(py::cast(tensor.sizes)), to_python(Value(tensor.dtype)),
                                               contents_tensor(tensor), tensor.on_cpu);
  }
  return dict;
}

py::dict values_dict(const std::vector<NamedValue>& values) {
  py::dict dict;
  for (const auto& [name, value] : values) dict[name.c_str()] = to_python(value);
  return dict;
}

py::list cases_list(const Signature& signature) {
  py::list rows;
  for (const WorkloadCase& row : workload_cases(signature)) {
    py::dict dict;
    dict["id"] = row.id;
    dict["params"] = values_dict(row.params);
    dict["inputs"] = tensors_dict(row.inputs);
    dict["construction_tensors"] = tensors_dict(row.construction_tensors);
    dict["outputs"] = tensors_dict(row.outputs);
    dict["indices"] = values_dict(row.indices);
    rows.append(dict);
  }
  return rows;
}

const at::Tensor& to_tensor(py::handle object) {
  if (!THPVariable_Check(object.ptr())) throw py::type_error("expected a torch.Tensor");
  return THPVariable_Unpack(object.ptr());
}

/// A manifest's operators apart from the process's registry.
class Manifest {
 public:
  explicit Manifest(const std::string& path) {
    Faults faults;
    signatures_ = compile_manifest(path, {}, faults);
    faults.throw_first();
  }

  std::vector<std::string> operators() const {
    std::vector<std::string> names;
    for (const auto& [name, signature] : signatures_) names.push_back(name);
    return names;
  }

  py::list cases(const std::string& op) const { return cases_list(find(op)); }

  std::vector<SampleCase> random(const std::string& op, std::size_t count, std::uint64_t seed) const {
    return random_cases(find(op), count, seed);
  }

  py::list infer(const std::string& op, const py::dict& params, const py::dict& given, const py::dict& inputs) const {
    const Signature& signature = find(op);
    std::vector<NamedValue> values;
    for (const auto& [name, value] : params) {
      const auto key = name.cast<std::string>();
      values.emplace_back(key, to_value(value, op, key));
    }
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (const auto& [name, tensor] : given) tensors.emplace_back(name.cast<std::string>(), to_tensor(tensor));
    std::vector<const at::Tensor*> pointers;
    for (const TensorArgument& input : signature.inputs()) {
      const bool present = inputs.contains(input.name.c_str());
      pointers.push_back(present ? &to_tensor(inputs[input.name.c_str()]) : nullptr);
    }
    return outputs_of(signature.check(signature.construct(values, tensors), pointers.data()));
  }

 private:
  const Signature& find(const std::string& op) const {
    const auto found = signatures_.find(op);
    if (found == signatures_.end()) throw py::key_error(op);
    return *found->second;
  }

  std::map<std::string, std::shared_ptr<const Signature>> signatures_;
};

}  // namespace

void add_manifest(py::module_& module) {
  module.def("load_manifest", [](const std::string& path) { return load_manifest(path); });
  module.def("validate_manifest", fault_lines);
  module.def("workload_cases",
             [](const std::string& op) { return cases_list(*Registry::process().find(op).signature); });
  py::class_<Manifest>(module, "Manifest")
      .def(py::init<const std::string&>())
      .def("operators", &Manifest::operators)
      .def("workload_cases", &Manifest::cases)
      .def("random_cases", &Manifest::random)
      .def("infer", &Manifest::infer);
}

}  // namespace opyard::python
