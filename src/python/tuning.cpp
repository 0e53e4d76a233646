#include <build/artefact_store.h>
#include <pybind11/stl.h>
#include <python/hold.h>
#include <python/op_type.h>
#include <python/tuning.h>
#include <python/value_caster.h>
#include <select/device_facts.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

// What is stored under a key, or else what `build()` gives, which is stored then.
std::string stored_text(const std::string& key, const py::object& build) {
  const Held builder = hold(build);
  py::gil_scoped_release unlocked;
  return ArtefactStore::process().get_or_build(
      key, [&] { return with_interpreter([&] { return (*builder)().cast<std::string>(); }); });
}

}  // namespace

void add_tuning(py::module_& module) {
  module.def("request_tune", [](py::handle op) { instance_of(op)->request_tune(); });
  module.def("stored_text", stored_text);
  module.def("device_identity", [](const py::object& device) {
    return device_identity(to_value(device, "", "device").get<c10::Device>());
  });
}

}  // namespace opyard::python
