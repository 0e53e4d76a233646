// The parts of an entry beside its signature: roofline, composition; and its dtype combinations.
#pragma once

#include "manifest/schema.h"

namespace opyard {

/// Throws ManifestError at the first fault.
void validate_rows(const Schema& schema);

}  // namespace opyard
