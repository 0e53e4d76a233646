#include <call/instance.h>
#include <registry/fork_lock.h>
#include <unistd.h>

#include <mutex>
#include <random>
#include <unordered_map>

namespace opyard {
namespace {

// Weak: the map keeps no instance alive. Guarded by LockRank::kInstances.
std::unordered_map<std::string, std::weak_ptr<Instance>>& instances() {
  static auto& map = *new std::unordered_map<std::string, std::weak_ptr<Instance>>;
  return map;
}

// Random per process and per fork, so that no two processes give the same key.
std::string process_part() {
  static std::uint64_t part = 0;
  static std::uint64_t generation = ~std::uint64_t{0};
  if (generation != fork_generation()) {
    std::random_device source;
    part = (std::uint64_t{source()} << 32) ^ source();
    generation = fork_generation();
  }
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(part));
  return text;
}

std::string new_key(const std::string& op) {
  static std::uint64_t counter = 0;
  std::lock_guard guard(lock_of(LockRank::kInstances));
  return op + "#" + process_part() + "-" + std::to_string(++counter);
}

}  // namespace

Instance::Instance(Registry& registry, const std::string& op, const std::vector<NamedValue>& params,
                   const std::string& target)
    : Instance(InstanceSpec::get(registry, op, params, target)) {}

Instance::Instance(std::shared_ptr<InstanceSpec> spec)
    : spec_(std::move(spec)), key_(new_key(spec_->signature().op())) {}

Instance::~Instance() {
  std::lock_guard guard(lock_of(LockRank::kInstances));
  instances().erase(key_);
}

std::shared_ptr<Instance> Instance::make(Registry& registry, const std::string& op,
                                         const std::vector<NamedValue>& params, const std::string& target) {
  return make(InstanceSpec::get(registry, op, params, target));
}

std::shared_ptr<Instance> Instance::make(std::shared_ptr<InstanceSpec> spec) {
  auto instance = std::make_shared<Instance>(std::move(spec));
  std::lock_guard guard(lock_of(LockRank::kInstances));
  instances()[instance->key()] = instance;
  return instance;
}

void Instance::reset_binding() noexcept {
  binding_.store(Binding(), std::memory_order_release);
  drop_built();
}

void Instance::drop_built() noexcept {
  for (const auto& held : delegates_.held()) held.instance->reset_binding();
  if (body_ != nullptr) body_->reset_binding();
  if (spec_.use_count() == 1) {
    spec_->plans().clear();
    spec_->entries().clear();
  }
}

std::shared_ptr<Instance> Instance::by_key(std::string_view key) {
  std::lock_guard guard(lock_of(LockRank::kInstances));
  const auto found = instances().find(std::string(key));
  return found == instances().end() ? nullptr : found->second.lock();
}

}  // namespace opyard
