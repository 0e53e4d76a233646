// The operators of a process and their implementations. One object for the process; tests make their own.
#pragma once

#include <opyard/registration.h>
#include <registry/operator_entry.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opyard {

/// Calls served by one implementation of one operator.
struct ServedCount {
  std::string op;
  std::string implementation;
  std::uint64_t calls;
};

/// Thread-safe. Operators are never removed, so a reference to one stays valid.
class Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// The process's registry with the built-in operators, made on first use and never destroyed.
  static Registry& process();

  /// Throws ManifestError when the operator exists already.
  void add_operator(std::shared_ptr<const Signature> signature);

  /// The same, compiled when it is first asked for: most operators of a process never are.
  void add_operator(const std::string& op, CompileSignature compile);

  /// In any order: implementations may name each other. Their contracts are checked when the table is asked for.
  [[nodiscard]] Registration add_implementation(Implementation implementation);

  /// Throws OpNotAvailableError, with the nearest known name, when there is none.
  const OperatorEntry& find(std::string_view op) const;

  /// The table as it is now. Throws ContractError when its implementations contradict each other.
  std::shared_ptr<const ImplementationTable> implementations(std::string_view op) const;

  std::vector<std::string> operators() const;

  /// Sorted by operator and key; implementations that served nothing are left out.
  std::vector<ServedCount> served() const;
  void reset_served();

 private:
  // For whoever holds the lock. Throws OpNotAvailableError.
  OperatorEntry& entry_of(std::string_view op);
  const OperatorEntry& entry_of(std::string_view op) const;
  void remove_implementation(const std::string& op, const std::shared_ptr<ImplementationEntry>& entry);

  std::map<std::string, OperatorEntry, std::less<>> operators_;
  // Kept after removal: plans of living instances still count into them.
  std::vector<std::pair<std::string, std::shared_ptr<ImplementationEntry>>> entries_;
};

/// Adds the operators that are compiled into the library.
void add_builtin_operators(Registry& registry);

}  // namespace opyard
