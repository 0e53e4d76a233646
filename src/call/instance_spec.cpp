#include <call/instance_spec.h>
#include <call/spec_text.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>

#include <mutex>
#include <unordered_map>

namespace opyard {
namespace {

// Weak: an unused spec goes with its last instance or graph call. Guarded by LockRank::kInstances.
std::unordered_map<std::string, std::weak_ptr<InstanceSpec>>& specs() {
  static auto& map = *new std::unordered_map<std::string, std::weak_ptr<InstanceSpec>>;
  return map;
}

// Forgets specs that nobody holds, whenever the map has doubled.
void sweep() {
  static std::size_t next_size = 64;
  if (specs().size() < next_size) return;
  std::erase_if(specs(), [](const auto& item) { return item.second.expired(); });
  next_size = 2 * specs().size() + 64;
}

}  // namespace

std::shared_ptr<InstanceSpec> InstanceSpec::get(Registry& registry, const std::string& op,
                                                const std::vector<NamedValue>& params, const std::string& target) {
  const OperatorEntry& entry = registry.find(op);
  Construction construction = entry.signature->construct(params);
  std::string text = spec_text(*entry.signature, construction, target);
  auto implementations = registry.implementations(op);
  std::shared_ptr<InstanceSpec> shared;  // goes after the lock: it may be the last to hold the spec
  std::lock_guard guard(lock_of(LockRank::kInstances));
  std::weak_ptr<InstanceSpec>& known = specs()[text];
  shared = known.lock();
  if (shared != nullptr && shared->implementations_ == implementations) return shared;
  auto made = std::make_shared<InstanceSpec>(entry.signature, std::move(construction), target,
                                             std::move(implementations), std::move(text));
  known = made;
  sweep();
  return made;
}

std::shared_ptr<InstanceSpec> InstanceSpec::alone(Registry& registry, const std::string& op, Construction construction,
                                                  const std::string& target) {
  auto implementations = registry.implementations(op);
  auto made = std::make_shared<InstanceSpec>(registry.find(op).signature, std::move(construction), target,
                                             std::move(implementations), std::string());
  static std::uint64_t counter = 0;
  std::lock_guard guard(lock_of(LockRank::kInstances));
  specs()["alone " + std::to_string(++counter)] = made;  // for its caches to be counted
  sweep();
  return made;
}

std::map<std::string, CacheCount> InstanceSpec::cache_counts() {
  std::vector<std::shared_ptr<InstanceSpec>> living;  // they may go when this returns: not under the lock
  {
    std::lock_guard guard(lock_of(LockRank::kInstances));
    for (const auto& [text, spec] : specs())
      if (auto held = spec.lock()) living.push_back(std::move(held));
  }
  std::map<std::string, CacheCount> counts;
  for (const auto& spec : living) {
    CacheCount& count = counts[spec->signature().op()];
    ++count.specs;
    count.plans += spec->plans_.size();
    count.plan_evictions += spec->plans_.evictions();
    count.entries += spec->entries_.size();
    count.entry_evictions += spec->entries_.evictions();
  }
  return counts;
}

std::shared_ptr<InstanceSpec> InstanceSpec::from_text(Registry& registry, const std::string& text) {
  {
    std::lock_guard guard(lock_of(LockRank::kInstances));
    if (auto found = specs().find(text); found != specs().end())
      if (auto shared = found->second.lock()) return shared;
  }
  const ParsedSpec parsed = parse_spec_text(text);
  const Signature& signature = *registry.find(parsed.op).signature;
  if (parsed.digest != signature.digest())
    throw ManifestError("a graph was made with another declaration of this operator",
                        {.op = parsed.op,
                         .argument = "manifest digest",
                         .expected = signature.digest(),
                         .got = parsed.digest,
                         .declared_at = signature.declared_at(),
                         .advice = "export or compile the graph again"});
  return get(registry, parsed.op, parsed.params, parsed.target);
}

}  // namespace opyard
