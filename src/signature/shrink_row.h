// A workload row at test size.
#pragma once

#include "signature/sample_row.h"

namespace opyard {

/// The row with smaller numbers, as far as the declaration goes along: different numbers stay different where they can,
/// so that exchanged dims still show. Parameters are held when `with_params` is false.
SampleRow shrink(const Signature& signature, SampleRow sample, bool with_params);

}  // namespace opyard
