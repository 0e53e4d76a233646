// The kinds of every text of a signature.
#pragma once

#include "manifest/entry_scopes.h"

namespace opyard {

/// Gathers expressions whose kinds do not agree, or that read what has no value there.
void validate_kinds(EntryScopes& entry);

}  // namespace opyard
