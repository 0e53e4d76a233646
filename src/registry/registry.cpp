#include <error/nearest_name.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>
#include <registry/registry.h>

#include <algorithm>

namespace opyard {

void Registry::add_operator(std::shared_ptr<const Signature> signature) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  const std::string& op = signature->op();
  if (auto found = operators_.find(op); found != operators_.end())
    throw ManifestError("an operator is declared twice",
                        {.op = op,
                         .expected = "a name of its own",
                         .got = "declared before at " + found->second.signature->declared_at(),
                         .declared_at = signature->declared_at()});
  operators_.emplace(op, OperatorEntry{signature, std::make_shared<const ImplementationTable>()});
}

Registration Registry::add_implementation(Implementation implementation) {
  const OperatorEntry& found = find(implementation.op);
  auto entry = std::make_shared<ImplementationEntry>();
  entry->declared = std::move(implementation);
  const std::string& op = entry->declared.op;
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  auto table = std::make_shared<ImplementationTable>(*found.implementations);
  table->push_back(entry);
  entries_.emplace_back(op, entry);
  operators_.find(op)->second.exchange(std::move(table));
  return Registration([this, op, entry] { remove_implementation(op, entry); });
}

void Registry::remove_implementation(const std::string& op, const std::shared_ptr<ImplementationEntry>& entry) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  OperatorEntry& found = operators_.find(op)->second;
  auto table = std::make_shared<ImplementationTable>(*found.implementations);
  std::erase(*table, entry);
  found.exchange(std::move(table));
}

const OperatorEntry& Registry::find(std::string_view op) const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  if (auto found = operators_.find(op); found != operators_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, entry] : operators_) known.push_back(name);
  throw OpNotAvailableError(
      "no operator has this name",
      {.op = std::string(op), .expected = "a declared operator" + nearest_name(op, known), .got = std::string(op)});
}

std::shared_ptr<const ImplementationTable> Registry::implementations(std::string_view op) const {
  const OperatorEntry& found = find(op);
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  if (!found.checked) {
    check_contracts(found.signature->op(), *found.implementations);
    found.checked = true;
  }
  return found.implementations;
}

std::vector<std::string> Registry::operators() const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  std::vector<std::string> names;
  for (const auto& [name, entry] : operators_) names.push_back(name);
  return names;
}

std::vector<ServedCount> Registry::served() const {
  std::vector<ServedCount> counts;
  {
    std::lock_guard guard(lock_of(LockRank::kRegistry));
    for (const auto& [op, entry] : entries_)
      if (const auto calls = entry->served.calls()) counts.push_back({op, entry->declared.key, calls});
  }
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return std::tie(a.op, a.implementation) < std::tie(b.op, b.implementation);
  });
  return counts;
}

void Registry::reset_served() {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  for (const auto& [op, entry] : entries_) entry->served.reset();
}

}  // namespace opyard
