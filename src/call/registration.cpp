#include <opyard/registration.h>
#include <registry/registry.h>
#include <target/target_registry.h>

namespace opyard {

Registration register_implementation(Implementation implementation) {
  return Registry::process().add_implementation(std::move(implementation));
}

Registration register_detector(const std::string& target, std::function<bool(c10::Device)> detect) {
  return TargetRegistry::process().add_detector(target, std::move(detect));
}

Registration register_kernel_builder(const std::string& op, const std::string& target,
                                     std::function<std::shared_ptr<const Kernel>(const CallSpec&)> build) {
  static_cast<void>(Registry::process().find(op));  // throws for an unknown one
  return TargetRegistry::process().add_builder(target, op, std::move(build));
}

void set_default_target(const std::string& target) { TargetRegistry::process().set_default(target); }

}  // namespace opyard
