// The process's registry: the built-in operators and the implementations found under kernels/.
#include <ATen/Version.h>
#include <manifest/builtin.h>
#include <registry/builtin_kernels.h>
#include <registry/registry.h>
#include <select/device_facts.h>

namespace opyard {

void add_builtin_operators(Registry& registry) {
  for (const std::string& op : builtin_names())
    registry.add_operator(op, [op] { return Signature::compile(builtin_schema(op)); });
}

Registry& Registry::process() {
  // Leaked: calls may still run while statics are destroyed at exit.
  static Registry& registry = []() -> Registry& {
    auto& made = *new Registry;
    add_builtin_operators(made);
    kernels::for_each_builtin(device_arch(c10::DeviceType::CPU), [&](std::vector<Implementation> implementations) {
      for (auto& implementation : implementations) made.add_implementation(std::move(implementation)).keep();
    });
    return made;
  }();
  return registry;
}

}  // namespace opyard
