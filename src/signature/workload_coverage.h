// Whether an entry's rows show what its calls may leave out.
#pragma once

#include <vector>

#include "manifest/faults.h"
#include "manifest/workload.h"
#include "signature/program.h"

namespace opyard {

/// An implemented entry passes and omits each optional tensor in some row; a fault for each that it does not.
void check_coverage(const Signature::Program& program, const std::vector<WorkloadRow>& rows, Faults& faults);

}  // namespace opyard
