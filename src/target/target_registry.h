// The targets of a process: which devices each one claims, and how it builds the kernel of an operator.
#pragma once

#include <opyard/registration.h>
#include <target/target.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace opyard {

/// Whether a target claims a device. Must not throw: an exception is an error that names the target.
using Detector = std::function<bool(c10::Device)>;

/// Makes a target's kernel for a call.
using KernelBuilder = std::function<std::shared_ptr<const Kernel>(const CallSpec&)>;

/// Thread-safe. A target is known while it has a detector or a builder; without a detector it is reached by name only.
class TargetRegistry {
 public:
  TargetRegistry() = default;
  TargetRegistry(const TargetRegistry&) = delete;
  TargetRegistry& operator=(const TargetRegistry&) = delete;

  /// The process's own, made on first use and never destroyed.
  static TargetRegistry& process();

  /// One for each target. Throws SignatureError for a second one, or an empty or reserved name.
  [[nodiscard]] Registration add_detector(const std::string& target, Detector detect);

  /// One for each pair. Throws SignatureError likewise.
  [[nodiscard]] Registration add_builder(const std::string& target, const std::string& op, KernelBuilder build);

  /// The target of instances that name none; empty: it is detected. Throws OpNotAvailableError for an unknown name.
  void set_default(const std::string& target);
  std::string default_target() const;

  /// Sorted names of the known targets; with an operator, of those that have a builder for it.
  std::vector<std::string> names(const std::string& op = {}) const;

  /// Who serves an instance: the target that its constructor names, else the default, else the one that claims the
  /// device, else builtin. Without a device nothing is detected. Throws OpNotAvailableError for an unknown name,
  /// AmbiguousDispatchError where several claim the device, ContractError where a detector throws.
  const Target& resolve(const std::string& op, const std::string& requested, std::optional<c10::Device> device) const;

  /// The target's builder for an operator, as the candidate under which its kernels are cached; null without one.
  std::shared_ptr<const Implementation> builder(const Target& target, const std::string& op) const;

  /// Every registration in one text, equal for equal states whatever led to them.
  std::string dump() const;

 private:
  struct State {
    Target target;
    Detector detect;
    std::map<std::string, std::shared_ptr<const Implementation>> builders;
    bool known() const { return detect != nullptr || !builders.empty(); }
  };

  State& state_of(const std::string& target);
  const Target& known(const std::string& op, const std::string& name) const;
  void remove(const std::string& target, const std::string& op);

  // Guarded by LockRank::kRegistry. A state is never erased: instances hold its Target.
  std::map<std::string, std::unique_ptr<State>> states_;
  std::string default_;
};

}  // namespace opyard
