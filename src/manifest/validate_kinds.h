// The kinds of every text of an entry.
#pragma once

#include "manifest/schema.h"

namespace opyard {

/// Throws ManifestError at the first expression whose kinds do not agree, or that reads what has no value there.
void validate_kinds(const Schema& schema);

}  // namespace opyard
