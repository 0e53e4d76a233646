#include <opyard/error.h>
#include <pybind11/stl.h>
#include <python/call_facts.h>
#include <python/hold.h>
#include <python/kernel_type.h>
#include <python/tensor_list.h>
#include <python/value_caster.h>
#include <registry/registry.h>
#include <select/device_facts.h>
#include <select/select.h>
#include <signature/composition.h>

namespace opyard::python {
namespace py = pybind11;

namespace {

class PythonKernel final : public Kernel {
 public:
  PythonKernel(py::object entry, Passing passing) : entry_(hold(std::move(entry))), passing_(std::move(passing)) {}

  void forward(KernelCall& call) const override {
    with_interpreter([&] { call_with_tensors(*entry_, passing_, call); });
  }

 private:
  Held entry_;
  Passing passing_;
};

// What the declaration of an implementation says apart from code.
Implementation declared(const std::string& op, const std::string& key, const py::dict& facts) {
  Implementation implementation{.op = op, .key = key};
  implementation.devices.clear();
  for (const auto device : facts["devices"])
    implementation.devices.push_back(c10::Device(device.cast<std::string>()).type());
  if (!facts["supported_archs"].is_none()) {
    implementation.supported_archs.emplace();
    for (const auto arch : facts["supported_archs"]) implementation.supported_archs->push_back(arch.cast<int>());
  }
  implementation.general = facts["general"].cast<bool>();
  for (const auto other : facts["preferred_over"]) implementation.preferred_over.push_back(other.cast<std::string>());
  return implementation;
}

Refusal refusal_text(const std::string& key, const py::object& reason) {
  if (reason.is_none()) return std::nullopt;
  if (py::isinstance<py::str>(reason)) return reason.cast<std::string>();
  throw ContractError(SignatureError::Kind::kType, "an implementation's refusal is no sentence",
                      {.argument = "implementation " + key,
                       .expected = "a str, or None where it serves",
                       .got = Py_TYPE(reason.ptr())->tp_name});
}

Passing passing_of(const Signature& signature, const std::string& key) {
  Passing passing{{}, signature.outputs().size(), signature.op() + ", implementation " + key};
  for (const auto& input : signature.inputs()) passing.names.push_back(input.keyword_only ? input.name : std::string());
  for (const auto& tensor : construction_tensors(signature)) passing.names.push_back(tensor);
  return passing;
}

// `refusal(facts)` gives a sentence or None, `entry_for(facts)` a plain identity and a builder.
Registration register_implementation(const std::string& op, const std::string& key, const py::dict& facts,
                                     py::object refusal, py::object entry_for) {
  Implementation implementation = declared(op, key, facts);
  const Held refuses = hold(std::move(refusal)), enters = hold(std::move(entry_for));
  implementation.refusal = [key, refuses](const CallSpec& call) {
    return with_interpreter([&] { return refusal_text(key, (*refuses)(call_facts(call))); });
  };
  const auto signature = Registry::process().find(op).signature;
  implementation.entry_for = [op, key, enters, signature](const CallSpec& call) {
    return with_interpreter([&] {
      const auto pair = py::cast<py::tuple>((*enters)(call_facts(call)));
      const Held builder = hold(pair[1]);
      return Entry{to_value(pair[0], op, "identity of implementation " + key), [builder, signature, key] {
                     return with_interpreter([&]() -> std::shared_ptr<const Kernel> {
                       return std::make_shared<PythonKernel>((*builder)(), passing_of(*signature, key));
                     });
                   }};
    });
  };
  return Registry::process().add_implementation(std::move(implementation));
}

// The choice among implementations of an operator with a body, by the same rules. Each candidate: key, facts, and a
// function that gives its refusal. `facts` of the call are for errors.
std::string select_key(const std::string& op, const py::list& candidates, const py::object& device,
                       const py::dict& facts) {
  if (device.is_none())
    throw OpNotAvailableError("no implementation serves this call, whose device nothing names",
                              {.op = op, .expected = "a device in the call spec", .got = "none, and no accelerator"});
  std::vector<NamedValue> stated;
  for (const auto& item : facts)
    stated.emplace_back(item.first.cast<std::string>(), py::str(item.second).cast<std::string>());
  CallSpec call(op, {}, {}, std::move(stated));
  call.device = to_value(device, op, "device").get<c10::Device>();
  call.arch = facts.contains("arch") ? facts["arch"].cast<int>() : device_arch(call.device);
  ImplementationTable table;
  for (const auto candidate : candidates) {
    const auto row = py::reinterpret_borrow<py::tuple>(candidate);
    auto entry = std::make_shared<ImplementationEntry>();
    entry->declared = declared(op, row[0].cast<std::string>(), row[1]);
    entry->declared.refusal = [key = entry->declared.key, refuses = hold(row[2])](const CallSpec&) {
      return with_interpreter([&] { return refusal_text(key, (*refuses)()); });
    };
    table.push_back(std::move(entry));
  }
  return select(table, call).declared.key;
}

}  // namespace

void add_kernel_types(py::module_& module) {
  py::class_<Registration>(module, "Registration").def("remove", &Registration::remove);
  module.def("register_implementation", register_implementation);
  module.def("select_key", select_key);
  module.def("device_arch",
             [](const py::object& device) { return device_arch(to_value(device, "", "device").get<c10::Device>()); });
  module.def("general_keys", [](const std::string& op) {
    std::vector<std::string> keys;
    for (const auto& entry : *Registry::process().implementations(op))
      if (entry->declared.general) keys.push_back(entry->declared.key);
    return keys;
  });
  module.def("implementation_keys", [](const std::string& op) {
    std::vector<std::string> keys;
    for (const auto& entry : *Registry::process().implementations(op)) keys.push_back(entry->declared.key);
    return keys;
  });
}

}  // namespace opyard::python
