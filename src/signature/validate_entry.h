// Everything that an entry must satisfy, from its structure to its workload rows.
#pragma once

#include <memory>

#include "manifest/reader.h"
#include "signature/signature.h"

namespace opyard {

/// Gathers all faults of an entry; returns its compiled signature, or null where there is any. A fault in the signature
/// leaves out what needs a plan: the points and the rows.
std::shared_ptr<const Signature> validate_entry(const EntryText& entry, bool in_catalogue, Faults& faults);

}  // namespace opyard
