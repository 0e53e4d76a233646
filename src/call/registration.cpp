#include <opyard/registration.h>
#include <registry/registry.h>
#include <target/target_registry.h>

namespace opyard {
namespace {

template <class Handle>
Registration owned(Handle handle) {
  const auto shared = std::make_shared<Handle>(std::move(handle));
  return {[shared] { shared->remove(); }, [shared] { shared->keep(); }};
}

}  // namespace

Registration register_implementation(Implementation implementation) {
  return owned(Registry::process().add_implementation(std::move(implementation)));
}

Registration register_detector(const std::string& target, std::function<bool(c10::Device)> detect) {
  return owned(TargetRegistry::process().add_detector(target, std::move(detect)));
}

Registration register_kernel_builder(const std::string& op, const std::string& target,
                                     std::function<std::shared_ptr<const Kernel>(const CallSpec&)> build) {
  static_cast<void>(Registry::process().find(op));  // throws for an unknown one
  return owned(TargetRegistry::process().add_builder(target, op, std::move(build)));
}

void set_default_target(const std::string& target) { TargetRegistry::process().set_default(target); }

}  // namespace opyard
