// What a manifest entry must satisfy beyond its structure.
#pragma once

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

/// Throws ManifestError naming file, line and declaration at the first fault.
void validate(const Schema& schema);

/// The same, all faults gathered; those of reading the entry are in `faults` already.
void validate(const Schema& schema, Faults& faults);

}  // namespace opyard
