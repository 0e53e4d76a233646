// Generator calls (`values`) and requirements on contents (`requires`).
#pragma once

#include "manifest/entry_scopes.h"

namespace opyard {

/// Gathers calls of what is no generator or predicate, wrong arguments, and ranks and dtypes that do not fit.
void validate_values(EntryScopes& entry);

}  // namespace opyard
