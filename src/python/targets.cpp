#include <c10/core/DeviceGuard.h>
#include <opyard/error.h>
#include <pybind11/stl.h>
#include <python/call_facts.h>
#include <python/hold.h>
#include <python/targets.h>
#include <python/tensor_list.h>
#include <python/value_caster.h>
#include <registry/registry.h>
#include <target/target_registry.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

class TargetKernel final : public Kernel {
 public:
  TargetKernel(py::object function, Passing passing)
      : function_(hold(std::move(function))), passing_(std::move(passing)) {}

  void forward(KernelCall& call) const override {
    with_interpreter([&] { call_with_tensors(*function_, passing_, call); });
  }

 private:
  Held function_;
  Passing passing_;
};

py::object spec_object(const TensorFacts& facts, c10::Device device) {
  if (!facts.present) return py::none();
  static const auto& type = *new py::object(py::module_::import("opyard.targets").attr("TensorSpec"));
  return type(to_python(device), to_python(facts.dtype), shape_tuple(facts.sizes));
}

std::shared_ptr<const Kernel> build_for(const std::string& op, const std::string& target, const py::object& build,
                                        const CallSpec& call) {
  const c10::OptionalDeviceGuard guard(call.device.is_cpu() ? std::optional<c10::Device>() : call.device);
  const Signature& signature = *Registry::process().find(op).signature;
  const std::size_t inputs = signature.inputs().size();
  py::tuple specs(inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    const bool on_cpu = signature.inputs()[i].on_cpu;
    specs[i] = spec_object(call.inputs()[i].second, on_cpu ? c10::Device(c10::kCPU) : call.device);
  }
  py::dict params;
  for (const auto& [name, value] : call.params()) params[name.c_str()] = to_python(value);
  py::object kernel = build(*specs, **params);
  if (!PyCallable_Check(kernel.ptr()))
    throw OpNotAvailableError("a target's kernel builder gave no callable",
                              {.op = op,
                               .argument = "target " + target,
                               .expected = "a callable that takes the operator's inputs",
                               .got = Py_TYPE(kernel.ptr())->tp_name});
  return std::make_shared<TargetKernel>(
      std::move(kernel), Passing{std::vector<std::string>(inputs), signature.outputs().size(), op + " on " + target});
}

Registration register_builder(const std::string& target, const std::string& op, py::object build) {
  Registry::process().find(op);  // an unknown operator is refused
  const Held held = hold(std::move(build));
  return TargetRegistry::process().add_builder(target, op, [held, op, target](const CallSpec& call) {
    return with_interpreter([&] { return build_for(op, target, *held, call); });
  });
}

Registration register_detector(const std::string& target, py::object detect) {
  const Held held = hold(std::move(detect));
  return TargetRegistry::process().add_detector(target, [held](c10::Device device) {
    return with_interpreter([&] { return py::cast<bool>(py::bool_((*held)(to_python(device)))); });
  });
}

}  // namespace

void add_targets(py::module_& module) {
  module.def("register_detector", register_detector);
  module.def("register_kernel_builder", register_builder);
  module.def("set_default_target", [](const std::string& name) { TargetRegistry::process().set_default(name); });
  module.def("default_target", [] { return TargetRegistry::process().default_target(); });
  module.def("registered_targets", [](const std::string& op) { return TargetRegistry::process().names(op); });
  module.def("dump_targets", [] { return TargetRegistry::process().dump(); });
}

}  // namespace opyard::python
