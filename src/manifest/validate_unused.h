// Names that are declared and never read.
#pragma once

#include "manifest/faults.h"
#include "manifest/schema.h"

namespace opyard {

/// Gathers indices and lets that nothing reads. Parameters may serve the operator alone.
void validate_unused(const Schema& schema, Faults& faults);

}  // namespace opyard
