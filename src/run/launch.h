// Step 5: the kernel, or nothing when every written tensor is empty.
#pragma once

#include <cache/call_plan.h>

namespace opyard {

/// Runs the plan's kernel on the call's tensors; an empty write only makes its outputs. An output that is a written
/// input is that tensor from the start.
inline void launch(const CallPlan& plan, KernelCall& call) {
  for (const auto& [output, input] : plan.aliased) call.set_output(output, call.input(input));
  if (plan.kernel != nullptr) [[likely]] {
    plan.kernel->forward(call);
    return;
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i].present) call.output(i);
}

}  // namespace opyard
