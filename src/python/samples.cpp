#include <python/op_type.h>
#include <python/samples.h>
#include <python/value_caster.h>
#include <registry/registry.h>
#include <signature/program.h>
#include <signature/sample_cases.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/tensor_dtypes.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

const Signature& signature_of(const std::string& op) { return *Registry::process().find(op).signature; }

py::dict params_dict(const SampleCase& sample) {
  py::dict params;
  for (const auto& [name, value] : sample.call.params) params[name.c_str()] = to_python(value);
  return params;
}

py::object shape_of(const WorkloadTensor& tensor) {
  if (!tensor.present) return py::none();
  py::tuple shape(tensor.sizes.size());
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) shape[i] = tensor.sizes[i];
  return py::make_tuple(
      shape, py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(torch::getTHPDtype(tensor.dtype))));
}

/// Name to (shape, dtype), None where absent.
py::dict shapes_dict(const std::vector<WorkloadTensor>& tensors) {
  py::dict shapes;
  for (const WorkloadTensor& tensor : tensors) shapes[tensor.name.c_str()] = shape_of(tensor);
  return shapes;
}

c10::Device device_of(py::handle device) {
  if (!THPDevice_Check(device.ptr())) throw py::type_error("a sample's device is a torch.device");
  return reinterpret_cast<THPDevice*>(device.ptr())->device;
}

/// Name to tensor, None where absent. Each tensor's numbers depend on its name alone, so that a case repeats.
py::dict make_tensors(const SampleCase& sample, const std::string& op, py::handle device) {
  py::dict tensors;
  for (const WorkloadTensor& input : sample.call.inputs) {
    if (!input.present) {
      tensors[input.name.c_str()] = py::none();
      continue;
    }
    const bool laid_out = sample.laid_out.empty() || sample.laid_out == input.name;
    tensors[input.name.c_str()] = py::reinterpret_steal<py::object>(
        THPVariable_Wrap(make_tensor(input, laid_out ? sample.layout : Layout::kPlain, device_of(device),
                                     generator_seed(op, sample.call.id + input.name))));
  }
  return tensors;
}

/// Of the tensors that the constructor takes, those that are there. Their numbers are coefficients: from 1 up, so that
/// an operator may divide by them.
py::dict make_construction_tensors(const SampleCase& sample, const std::string& op, py::handle device) {
  py::dict tensors;
  for (const WorkloadTensor& given : sample.call.construction_tensors) {
    if (!given.present) continue;
    const at::Tensor numbers =
        make_tensor(given, Layout::kPlain, device_of(device), generator_seed(op, sample.call.id + given.name));
    tensors[given.name.c_str()] = py::reinterpret_steal<py::object>(THPVariable_Wrap(numbers.abs().add(1)));
  }
  return tensors;
}

/// Whether the instance was constructed with tensors of the case's shapes.
bool has_tensors_of(const InstanceSpec& spec, const SampleCase& sample) {
  const std::vector<at::Tensor>& held = spec.construction().tensors;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const WorkloadTensor& wanted = sample.call.construction_tensors[i];
    if (held[i].defined() != wanted.present || (wanted.present && held[i].sizes() != wanted.sizes)) return false;
  }
  return true;
}

std::vector<SampleCase> fitting(std::vector<SampleCase> cases, py::handle op) {
  if (!op.is_none())
    std::erase_if(cases, [&](const SampleCase& sample) { return !has_tensors_of(instance_of(op)->spec(), sample); });
  return cases;
}

SampleRequest request_of(bool small, py::handle dtype, py::handle op) {
  SampleRequest request{.small = small};
  if (!dtype.is_none()) {
    if (!THPDtype_Check(dtype.ptr())) throw py::type_error("a sample's dtype is a torch.dtype");
    request.dtype = reinterpret_cast<THPDtype*>(dtype.ptr())->scalar_type;
  }
  if (!op.is_none()) {
    const InstanceSpec& spec = instance_of(op)->spec();
    const auto& declared = spec.signature().params();
    request.params.emplace();
    for (std::size_t i = 0; i < declared.size(); ++i)
      request.params->emplace_back(declared[i].name, spec.construction().params[i]);
  }
  return request;
}

}  // namespace

void add_samples(py::module_& module) {
  py::class_<SampleCase>(module, "SampleCase")
      .def_readonly("label", &SampleCase::label)
      .def_property_readonly("params", params_dict)
      .def_property_readonly("inputs", [](const SampleCase& sample) { return shapes_dict(sample.call.inputs); })
      .def_property_readonly("outputs", [](const SampleCase& sample) { return shapes_dict(sample.call.outputs); })
      .def("tensors", make_tensors)
      .def("construction_tensors", make_construction_tensors);
  module.def("sample_cases", [](const std::string& op, bool small, py::handle dtype, py::handle instance) {
    return fitting(sample_cases(signature_of(op), request_of(small, dtype, instance)), instance);
  });
  module.def("edge_cases", [](const std::string& op, py::handle dtype, py::handle instance) {
    return fitting(edge_cases(signature_of(op), request_of(true, dtype, instance)), instance);
  });
  module.def("random_cases", [](const std::string& op, std::size_t count, std::uint64_t seed) {
    return random_cases(signature_of(op), count, seed);
  });
  module.def("sample_dtypes", [](const std::string& op) {
    py::list dtypes;
    for (const c10::ScalarType dtype : sample_dtypes(signature_of(op)))
      dtypes.append(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(torch::getTHPDtype(dtype))));
    return dtypes;
  });
}

}  // namespace opyard::python
