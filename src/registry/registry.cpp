#include <error/nearest_name.h>
#include <opyard/error.h>
#include <registry/fork_lock.h>
#include <registry/registry.h>

#include <algorithm>
#include <utility>

namespace opyard {

namespace {

// Under the registry's lock: a fork waits for it, so a child has the signature or makes its own.
const std::shared_ptr<const Signature>& signature_of(const OperatorEntry& entry) {
  if (entry.signature == nullptr) entry.signature = entry.compile();
  return entry.signature;
}

[[noreturn]] void fail_twice(const std::string& op, const OperatorEntry& before, const std::string& declared_at) {
  throw ManifestError("an operator is declared twice",
                      {.op = op,
                       .expected = "a name of its own",
                       .got = "declared before at " + signature_of(before)->declared_at(),
                       .declared_at = declared_at});
}

}  // namespace

void Registry::add_operator(std::shared_ptr<const Signature> signature) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  const std::string& op = signature->op();
  const auto [entry, added] = operators_.try_emplace(op);
  if (!added) fail_twice(op, entry->second, signature->declared_at());
  entry->second = {signature, nullptr, std::make_shared<const ImplementationTable>()};
}

void Registry::add_operator(const std::string& op, CompileSignature compile) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  const auto [entry, added] = operators_.try_emplace(op);
  if (!added) fail_twice(op, entry->second, compile()->declared_at());
  entry->second = {nullptr, std::move(compile), std::make_shared<const ImplementationTable>()};
}

Registration Registry::add_implementation(Implementation implementation) {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  OperatorEntry& found = entry_of(implementation.op);
  auto entry = std::make_shared<ImplementationEntry>();
  entry->declared = std::move(implementation);
  const std::string& op = entry->declared.op;
  auto table = std::make_shared<ImplementationTable>(*found.implementations);
  table->push_back(entry);
  entries_.emplace_back(op, entry);
  found.exchange(std::move(table));
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
  const OperatorEntry& entry = entry_of(op);
  signature_of(entry);
  return entry;
}

OperatorEntry& Registry::entry_of(std::string_view op) {
  return const_cast<OperatorEntry&>(std::as_const(*this).entry_of(op));
}

const OperatorEntry& Registry::entry_of(std::string_view op) const {
  if (auto found = operators_.find(op); found != operators_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, entry] : operators_) known.push_back(name);
  throw OpNotAvailableError(
      "no operator has this name",
      {.op = std::string(op), .expected = "a declared operator" + nearest_name(op, known), .got = std::string(op)});
}

std::shared_ptr<const ImplementationTable> Registry::implementations(std::string_view op) const {
  std::lock_guard guard(lock_of(LockRank::kRegistry));
  const OperatorEntry& found = entry_of(op);
  if (!found.checked) {
    check_contracts(std::string(op), *found.implementations);
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
