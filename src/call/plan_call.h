// What a miss decides: check, target, select, build.
#pragma once

#include <cache/call_plan.h>
#include <call/undo_guard.h>

#include <memory>

namespace opyard {

/// A plan for the call, not yet published. Throws what the step that fails throws.
std::unique_ptr<CallPlan> plan_call(Instance& instance, const CallKey* key, const at::Tensor* const* inputs,
                                    CallBinding& binding);

/// What selection reads of a checked call.
CallSpec spec_of(const InstanceSpec& spec, const SolvedCall<std::int64_t>& solved, const at::Tensor* const* inputs);

}  // namespace opyard
