#include <manifest/schema.h>
#include <override/boxed_override.h>
#include <override/catalogue_routes.h>
#include <override/catalogue_server.h>
#include <override/matmul_operators.h>
#include <registry/registry.h>
#include <signature/effects.h>
#include <signature/program.h>

#include <algorithm>

namespace opyard {
namespace {

struct DeviceKey {
  c10::DeviceType device;
  c10::DispatchKey key;
};
constexpr DeviceKey kDeviceKeys[] = {{c10::DeviceType::CPU, c10::DispatchKey::CPU},
                                     {c10::DeviceType::CUDA, c10::DispatchKey::CUDA}};

bool has_own_implementation(const ImplementationTable& table, c10::DeviceType device) {
  return std::any_of(table.begin(), table.end(), [&](const auto& entry) {
    const auto& devices = entry->declared.devices;
    return !entry->declared.general && std::find(devices.begin(), devices.end(), device) != devices.end();
  });
}

std::pair<std::string, std::string> name_and_overload(const std::string& aten) {
  const std::size_t dot = aten.find('.');
  return {"aten::" + aten.substr(0, dot), dot == std::string::npos ? "" : aten.substr(dot + 1)};
}

// Boxed, for any operator; the matrix products have routes of their own C++ signature.
std::function<OverrideHandle(std::size_t)> installer(const std::shared_ptr<const Signature>& signature,
                                                     const std::string& aten, const std::string& key) {
  if (auto typed = matmul_installer(signature->op(), "aten::" + aten, key)) {
    return typed;
  }
  return [signature, aten, key](std::size_t number) {
    const auto [name, overload] = name_and_overload(aten);
    const Node& arguments = *signature->program().schema->aten.find(aten);
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str());
    return override_boxed({name, overload, key, "opyard"},
                          std::make_shared<const CatalogueServer>(signature, arguments, op, number));
  };
}

void add_routes(const std::shared_ptr<const Signature>& signature, std::vector<RouteDeclaration>& routes) {
  const std::shared_ptr<const ImplementationTable> table = Registry::process().implementations(signature->op());
  for (const std::string& aten : signature->program().schema->aten.keys) {
    const auto [name, overload] = name_and_overload(aten);
    const auto op = c10::Dispatcher::singleton().findSchema({name, overload});
    for (const DeviceKey& at : kDeviceKeys) {
      if (op && op->hasComputedKernelForDispatchKey(at.key) && has_own_implementation(*table, at.device)) {
        const std::string key = c10::toString(at.key);
        routes.push_back({signature->op(), "aten::" + aten, key, installer(signature, aten, key)});
      }
    }
  }
}

}  // namespace

std::vector<RouteDeclaration> catalogue_routes() {
  std::vector<std::shared_ptr<const Signature>> declared;
  for (const std::string& op : Registry::process().operators()) {
    const std::shared_ptr<const Signature>& signature = Registry::process().find(op).signature;
    if (!signature->program().schema->aten.is_null() && !has_effects(*signature)) {
      declared.push_back(signature);
    }
  }
  std::sort(declared.begin(), declared.end(), [](const auto& a, const auto& b) {
    const Schema& left = *a->program().schema;
    const Schema& right = *b->program().schema;
    return std::tie(left.file, left.mark.line) < std::tie(right.file, right.mark.line);
  });
  std::vector<RouteDeclaration> routes;
  for (const auto& signature : declared) {
    add_routes(signature, routes);
  }
  return routes;
}

}  // namespace opyard
