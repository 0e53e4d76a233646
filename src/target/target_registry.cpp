#include <error/nearest_name.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>
#include <registry/thread_state.h>
#include <target/target_registry.h>

#include <mutex>

namespace opyard {
namespace {

[[noreturn]] void refuse(const std::string& op, const std::string& target, std::string summary, std::string expected) {
  throw SignatureError(SignatureError::Kind::kValue, std::move(summary),
                       {.op = op, .argument = "target", .expected = std::move(expected), .got = "'" + target + "'"});
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

const Target& builtin_target() {
  static const auto& target = *new Target{"builtin"};
  return target;
}

TargetRegistry& TargetRegistry::process() {
  static auto& registry = *new TargetRegistry;
  return registry;
}

TargetRegistry::State& TargetRegistry::state_of(const std::string& target) {
  if (target.empty() || target == builtin_target().name)
    refuse("", target, "a target has no name of its own",
           "a name that is neither empty nor '" + builtin_target().name + "'");
  auto& state = states_[target];
  if (state == nullptr) state = std::make_unique<State>(State{{target}, {}, {}});
  return *state;
}

Registration TargetRegistry::add_detector(const std::string& target, Detector detect) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  State& state = state_of(target);
  if (state.detect) refuse("", target, "a target has a detector already", "one for each target");
  state.detect = std::move(detect);
  return Registration([this, target] { remove(target, {}); });
}

Registration TargetRegistry::add_builder(const std::string& target, const std::string& op, KernelBuilder build) {
  auto implementation = std::make_shared<Implementation>();
  implementation->op = op;
  implementation->key = target;
  // One kernel for the device, and each input's dtype and shape; output buffers have no say in it.
  implementation->entry_for = [build = std::move(build)](const CallSpec& call) {
    Sequence identity{call.device};
    for (const auto& [name, facts] : call.inputs()) {
      if (facts.present)
        identity.emplace_back(Sequence{facts.dtype, Sequence(facts.sizes.begin(), facts.sizes.end())});
      else
        identity.emplace_back();
    }
    return Entry{std::move(identity), [build, call] { return build(call); }};
  };
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  if (!state_of(target).builders.try_emplace(op, std::move(implementation)).second)
    refuse(op, target, "a target has a builder for this operator already", "one for each target and operator");
  return Registration([this, target, op] { remove(target, op); });
}

void TargetRegistry::remove(const std::string& target, const std::string& op) {
  Detector detector;  // freed after the lock: it may run foreign code
  std::shared_ptr<const Implementation> builder;
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  State& state = *states_.at(target);
  if (op.empty()) {
    detector = std::exchange(state.detect, nullptr);
  } else {
    builder = state.builders.at(op);
    state.builders.erase(op);
  }
}

std::vector<std::string> TargetRegistry::names(const std::string& op) const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  std::vector<std::string> names;
  for (const auto& [name, state] : states_)
    if (op.empty() ? state->known() : state->builders.contains(op)) names.push_back(name);
  return names;
}

const Target& TargetRegistry::known(const std::string& op, const std::string& name) const {
  if (name == builtin_target().name) return builtin_target();
  {
    std::lock_guard guard(lock_of(LockRank::kRegistry));
    if (const auto found = states_.find(name); found != states_.end() && found->second->known())
      return found->second->target;
  }
  std::vector<std::string> all = names();
  all.insert(all.begin(), builtin_target().name);
  throw OpNotAvailableError("no target has this name",
                            {.op = op,
                             .argument = "target",
                             .expected = "one of: " + join(all) + nearest_name(name, all),
                             .got = name,
                             .advice = "construct the operator with a known target, or with None to have one selected "
                                       "from the call's device"});
}

void TargetRegistry::set_default(const std::string& target) {
  if (!target.empty()) known("", target);
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  default_ = target;
}

std::string TargetRegistry::default_target() const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  return default_;
}

const Target& TargetRegistry::resolve(const std::string& op, const std::string& requested,
                                      std::optional<c10::Device> device) const {
  const std::string named = requested.empty() ? default_target() : requested;
  if (!named.empty()) return known(op, named);
  if (!device) return builtin_target();

  std::vector<std::pair<const Target*, Detector>> detectors;  // called without the lock: they are foreign code
  {
    std::lock_guard guard(lock_of(LockRank::kRegistry));
    for (const auto& [name, state] : states_)
      if (state->detect) detectors.emplace_back(&state->target, state->detect);
  }
  std::vector<std::string> claims;
  const Target* claiming = nullptr;
  for (const auto& [target, detect] : detectors) {
    try {
      if (!detect(*device)) continue;
    } catch (const std::exception& error) {
      if (this_thread().interrupted) throw;  // the user's, not the detector's
      throw ContractError(SignatureError::Kind::kValue, "a target's detector raised",
                          {.op = op,
                           .argument = "target " + target->name,
                           .expected = "whether it claims " + device->str(),
                           .got = error.what()});
    }
    claims.push_back(target->name);
    claiming = target;
  }
  if (claims.size() > 1)
    throw AmbiguousDispatchError("several targets claim the device of this call",
                                 {.op = op,
                                  .argument = "target",
                                  .expected = "one target for " + device->str(),
                                  .got = join(claims),
                                  .advice = "name one when the operator is constructed, or set a default target"});
  return claiming == nullptr ? builtin_target() : *claiming;
}

std::shared_ptr<const Implementation> TargetRegistry::builder(const Target& target, const std::string& op) const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  const auto state = states_.find(target.name);
  if (state == states_.end()) return nullptr;
  const auto found = state->second->builders.find(op);
  return found == state->second->builders.end() ? nullptr : found->second;
}

std::string TargetRegistry::dump() const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  std::string text = "default: " + default_ + "\n";
  for (const auto& [name, state] : states_) {
    if (!state->known()) continue;
    text += name + ":" + (state->detect ? " detector" : "");
    for (const auto& [op, builder] : state->builders) text += " " + op;
    text += "\n";
  }
  return text;
}

}  // namespace opyard
