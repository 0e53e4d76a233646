// The operators that an entry names: the one of its backward, those of a composition's stages.
#pragma once

#include <string>
#include <vector>

#include "manifest/faults.h"
#include "manifest/reader.h"

namespace opyard {

/// Each is another entry, or one of the operators `known` from elsewhere; what a backward of these entries is given and
/// gives are arguments and outputs of it.
void validate_links(const std::vector<EntryText>& entries, const std::vector<std::string>& known, Faults& faults);

}  // namespace opyard
