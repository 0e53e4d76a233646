#include <python/stub.h>
#include <registry/registry.h>
#include <torch/csrc/autograd/python_variable.h>

#include <chrono>

namespace opyard::python {
namespace py = pybind11;

namespace {

void work_for(double microseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double, std::micro>(microseconds);
  while (Clock::now() < end) {
  }
}

Registration register_stub(const std::string& op, const at::Tensor& output, double microseconds) {
  Registry& registry = Registry::process();
  Implementation stub{.op = op, .key = "stub"};
  for (const auto& entry : *registry.implementations(op))
    if (!entry->declared.general) stub.preferred_over.push_back(entry->declared.key);
  stub.expected_us = microseconds;
  stub.entry_for = [output, microseconds](const CallSpec&) {
    return Entry{"stub", [output, microseconds] {
                   return make_kernel([output, microseconds](KernelCall& call) {
                     if (microseconds > 0) work_for(microseconds);
                     call.set_output(0, output);
                   });
                 }};
  };
  return registry.add_implementation(std::move(stub));
}

}  // namespace

void add_stub(py::module_& module) {
  module.def(
      "stub",
      [](const std::string& op, py::handle output, double microseconds) {
        if (!THPVariable_Check(output.ptr())) throw py::type_error("stub: expected a tensor");
        return register_stub(op, THPVariable_Unpack(output.ptr()), microseconds);
      },
      py::arg("op"), py::arg("output"), py::arg("microseconds") = 0.0);
}

}  // namespace opyard::python
