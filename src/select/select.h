// Step "select": availability → applicability → precedence over the implementations of one operator.
#pragma once

#include <opyard/implementation.h>
#include <registry/operator_entry.h>

#include <string>
#include <vector>

namespace opyard {

/// One candidate with its refusal; no refusal and not chosen: another was preferred.
struct Candidate {
  const ImplementationEntry* entry = nullptr;
  Refusal refusal;
  std::string passed_over;  // why another one goes first
};

struct Selection {
  std::vector<Candidate> candidates;  // in declaration order, which decides nothing
  const ImplementationEntry* chosen = nullptr;
  bool measured = false;  // by a recorded measurement, among those that serve
  std::string tie;        // the tied keys when none is chosen though several remain
};

/// The whole reasoning, without an exception for "none" or a tie. An exception in a refusal is an error that names the
/// implementation.
Selection reason(const ImplementationTable& table, const CallSpec& call);

/// The chosen implementation. Throws OpNotAvailableError (every candidate with its refusal) or AmbiguousDispatchError.
const ImplementationEntry& select(const ImplementationTable& table, const CallSpec& call);

}  // namespace opyard
