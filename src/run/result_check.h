// Step 6: what a kernel gave, against the declaration, whoever made it.
#pragma once

#include <cache/call_plan.h>

namespace opyard {

/// Shape, dtype, device and presence of every output, and that none shares storage with an input.
/// Throws ContractError naming operator, output, expected and got.
void check_result(const CallPlan& plan, const at::Tensor* const* inputs, const at::Tensor* outputs);

}  // namespace opyard
