// What the parameters of an entry may be, beside what its rows give them.
#pragma once

#include "signature/sample_row.h"

namespace opyard {

/// Values for one parameter: those of the rows, then the members of its type, absence, and a few small numbers. The
/// declaration may refuse some of them.
std::vector<Value> alternatives(const Signature& signature, const std::vector<WorkloadRow>& rows, std::size_t param);

/// Drafts that set every bool, enum, absent or present parameter and optional tensor each way: all combinations where
/// they are few, else each alone and each pair. Starts from `rows`, the first of them that the declaration accepts.
std::vector<SampleRow> point_drafts(const Signature& signature, const std::vector<WorkloadRow>& rows,
                                    const std::vector<SampleRow>& starts, bool with_params);

}  // namespace opyard
