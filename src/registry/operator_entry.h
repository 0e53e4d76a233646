// One operator of a registry: its signature and the implementations declared for it.
#pragma once

#include <cache/call_plan.h>
#include <opyard/implementation.h>
#include <signature/signature.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace opyard {

/// A declared implementation and how many calls it served. Lives as long as its registry; never changes.
struct ImplementationEntry {
  Implementation declared;
  ServedCounter served;
};

/// The implementations an instance competes among, fixed when it is constructed.
using ImplementationTable = std::vector<std::shared_ptr<ImplementationEntry>>;

using CompileSignature = std::function<std::shared_ptr<const Signature>()>;

struct OperatorEntry {
  // Compiled when the registry is first asked for the operator; afterwards it never changes.
  mutable std::shared_ptr<const Signature> signature;
  CompileSignature compile;
  // Both guarded by LockRank::kRegistry; the table is replaced as a whole.
  std::shared_ptr<const ImplementationTable> implementations;
  mutable bool checked = false;  // whether its contracts held

  void exchange(std::shared_ptr<const ImplementationTable> table) {
    implementations = std::move(table);
    checked = false;
  }
};

/// Throws ContractError: a key given twice, two general ones, a preference that names nothing, itself, is cyclic, or is
/// the general one's.
void check_contracts(const std::string& op, const ImplementationTable& table);

}  // namespace opyard
