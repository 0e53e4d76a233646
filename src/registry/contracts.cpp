#include <opyard/error.h>
#include <registry/operator_entry.h>

#include <functional>
#include <set>

namespace opyard {
namespace {

using Kind = SignatureError::Kind;

[[noreturn]] void refuse(const std::string& op, const std::string& key, std::string summary, std::string expected,
                         std::string got) {
  throw ContractError(
      Kind::kValue, std::move(summary),
      {.op = op, .argument = "implementation " + key, .expected = std::move(expected), .got = std::move(got)});
}

void check_keys(const std::string& op, const ImplementationTable& table) {
  std::set<std::string> keys;
  std::string general;
  for (const auto& entry : table) {
    const Implementation& implementation = entry->declared;
    if (!keys.insert(implementation.key).second)
      refuse(op, implementation.key, "an implementation key is given twice", "a key of its own", implementation.key);
    if (!implementation.entry_for)
      refuse(op, implementation.key, "an implementation cannot be built", "an entry_for", "none");
    if (!implementation.general) continue;
    if (!general.empty())
      refuse(op, implementation.key, "two implementations are general", "at most one",
             general + ", " + implementation.key);
    if (!implementation.preferred_over.empty())
      refuse(op, implementation.key, "the general implementation prefers itself over another", "no preferred_over",
             implementation.preferred_over.front());
    general = implementation.key;
  }
}

void check_preferences(const std::string& op, const ImplementationTable& table) {
  std::map<std::string, const Implementation*> by_key;
  for (const auto& entry : table) by_key[entry->declared.key] = &entry->declared;
  for (const auto& [key, implementation] : by_key)
    for (const auto& other : implementation->preferred_over)
      if (other == key || !by_key.contains(other))
        refuse(op, key, "preferred_over names no other implementation of the operator", "the key of another", other);
  for (const auto& [key, implementation] : by_key) {
    std::set<std::string> reached;
    std::function<void(const Implementation&)> walk = [&, &key = key](const Implementation& from) {
      for (const auto& next : from.preferred_over) {
        if (next == key) refuse(op, key, "preferred_over forms a cycle", "no cycle", from.key + " → " + next);
        if (reached.insert(next).second) walk(*by_key.at(next));
      }
    };
    walk(*implementation);
  }
}

}  // namespace

void check_contracts(const std::string& op, const ImplementationTable& table) {
  check_keys(op, table);
  check_preferences(op, table);
}

}  // namespace opyard
