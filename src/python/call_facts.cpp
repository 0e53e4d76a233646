#include <python/call_facts.h>
#include <python/value_caster.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

py::object tensor_facts(const TensorFacts& facts) {
  if (!facts.present) return py::none();
  return py::make_tuple(shape_tuple(facts.sizes), to_python(facts.dtype),
                        facts.contiguous ? py::object(py::none()) : py::object(shape_tuple(facts.strides)));
}

py::dict tensors(const NamedTensors& all) {
  py::dict dict;
  for (const auto& [name, facts] : all) dict[name.c_str()] = tensor_facts(facts);
  return dict;
}

py::dict values(const std::vector<NamedValue>& all) {
  py::dict dict;
  for (const auto& [name, value] : all) dict[name.c_str()] = to_python(value);
  return dict;
}

}  // namespace

py::tuple shape_tuple(c10::ArrayRef<std::int64_t> sizes) {
  py::tuple shape(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) shape[i] = sizes[i];
  return shape;
}

py::dict call_facts(const CallSpec& call) {
  py::dict dict;
  dict["device"] = to_python(call.device);
  dict["arch"] = call.arch;
  dict["inputs"] = tensors(call.inputs());
  dict["outputs"] = tensors(call.outputs());
  dict["params"] = values(call.params());
  dict["indices"] = values(call.indices());
  return dict;
}

}  // namespace opyard::python
