// Where samples start: the rows of an entry at the dtypes, parameters and size that are asked for.
#pragma once

#include "signature/sample_cases.h"
#include "signature/sample_row.h"

namespace opyard {

/// Valid drafts, no call twice.
std::vector<SampleRow> sample_drafts(const Signature& signature, const std::vector<WorkloadRow>& rows,
                                     const SampleRequest& request);

}  // namespace opyard
