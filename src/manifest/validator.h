// What a manifest entry must satisfy beyond its structure.
#pragma once

#include "manifest/schema.h"

namespace opyard {

/// Throws ManifestError naming file, line and declaration at the first fault.
void validate(const Schema& schema);

}  // namespace opyard
