// Metadata of rows grouped by expert.
#pragma once

#include "manifest/generators.h"

namespace opyard {

/// (layout, rows, experts): where each expert's rows are when they are spread evenly.
Contents layout_metadata(const Arguments& arguments);

/// (layout, experts, tokens): rows for each expert after a routing that leaves some experts idle.
Contents masked_routed_metadata(const Arguments& arguments);

}  // namespace opyard
