// What instances constructed alike share: operator, parameters, requested target, implementations, plans and entries.
#pragma once

#include <build/entry_cache.h>
#include <cache/plan_cache.h>
#include <call/declared_names.h>
#include <registry/registry.h>
#include <signature/signature.h>

#include <map>
#include <memory>
#include <string>

namespace opyard {

/// What the caches of one operator hold, over all its specs.
struct CacheCount {
  std::size_t specs = 0;
  std::size_t plans = 0;
  std::uint64_t plan_evictions = 0;
  std::size_t entries = 0;
  std::uint64_t entry_evictions = 0;
};

class InstanceSpec {
 public:
  InstanceSpec(std::shared_ptr<const Signature> signature, Construction construction, std::string target,
               std::shared_ptr<const ImplementationTable> implementations, std::string text)
      : signature_(std::move(signature)),
        construction_(std::move(construction)),
        target_(std::move(target)),
        implementations_(std::move(implementations)),
        text_(std::move(text)),
        names_(std::make_shared<const DeclaredNames>(signature_, construction_)) {}

  /// The shared spec of instances constructed so; parameters are checked here. Throws SignatureError.
  static std::shared_ptr<InstanceSpec> get(Registry& registry, const std::string& op,
                                           const std::vector<NamedValue>& params, const std::string& target);

  /// A spec that nothing else shares, for an instance with a body, or with tensors given at construction. It has no
  /// text that another process could build it from.
  static std::shared_ptr<InstanceSpec> alone(Registry& registry, const std::string& op, Construction construction,
                                             const std::string& target);

  /// The spec that a graph's constant describes, made if no instance holds it. Throws when the manifest changed since.
  static std::shared_ptr<InstanceSpec> from_text(Registry& registry, const std::string& text);

  const Signature& signature() const { return *signature_; }
  /// By operator, over the specs that somebody holds.
  static std::map<std::string, CacheCount> cache_counts();

  const std::shared_ptr<const Signature>& signature_ptr() const { return signature_; }
  const Construction& construction() const { return construction_; }
  const std::string& target() const { return target_; }
  const ImplementationTable& implementations() const { return *implementations_; }

  /// Canonical: operator, parameters, target and manifest digest, as JSON. Stands in graphs; empty for one of its own.
  const std::string& text() const { return text_; }

  /// What the call specs of its calls share.
  const std::shared_ptr<const CallNames>& names() const { return names_; }

  PlanCache& plans() { return plans_; }
  EntryCache& entries() { return entries_; }

 private:
  std::shared_ptr<const Signature> signature_;
  Construction construction_;
  std::string target_;
  std::shared_ptr<const ImplementationTable> implementations_;
  std::string text_;
  std::shared_ptr<const CallNames> names_;
  PlanCache plans_;
  EntryCache entries_;
};

}  // namespace opyard
