// Drafts at the edges of a row's sizes.
#pragma once

#include "signature/sample_row.h"

namespace opyard {

/// Each number of the row as 0, 1 and two odd ones; each shape at other ranks and broadcast against the others; each
/// sequence empty, of one item, with an item of 0; each integer parameter at its small values. The declaration may
/// refuse some.
std::vector<SampleRow> size_edges(const Signature& signature, const std::vector<WorkloadRow>& rows,
                                  const SampleRow& start, bool with_params);

}  // namespace opyard
