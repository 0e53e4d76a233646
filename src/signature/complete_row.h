// A row at another point: what matters there is filled in, what no longer does is left out.
#pragma once

#include "signature/sample_row.h"

namespace opyard {

/// The draft as a call, with the indices and dtypes that its parameters and optional tensors demand: taken from `rows`,
/// else small ones, tried until the declaration accepts. Nothing when it accepts none of them.
std::optional<SampleRow> complete(const Signature& signature, const std::vector<WorkloadRow>& rows, SampleRow sample);

}  // namespace opyard
