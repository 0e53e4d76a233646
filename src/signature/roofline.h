// The least work and traffic of a call, where the declaration says them in its own language.
#pragma once

#include <optional>
#include <vector>

#include "signature/fold.h"
#include "signature/workload_cases.h"

namespace opyard {

struct Roofline {
  std::optional<std::int64_t> flops;
  std::optional<std::int64_t> bytes;
};

/// `folder` holds the call's parameters and indices as constants.
Roofline roofline_of(const Signature::Program& program, const Folder& folder, const Point& point,
                     const std::vector<WorkloadTensor>& inputs, const std::vector<WorkloadTensor>& outputs);

}  // namespace opyard
