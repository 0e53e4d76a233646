// One call by a named implementation: for tests, and for comparing implementations.
#pragma once

#include <call/measure.h>

#include <string>
#include <vector>

namespace opyard {

/// The keys of the implementations that serve this call, chosen or not; none where every output is empty.
/// Throws SignatureError for a bad call.
std::vector<std::string> serving(const Instance& instance, const CallInputs& call);

/// Checks the call, builds the implementation's kernel and runs it. Binds nothing, records nothing.
/// Throws OpNotAvailableError when the implementation refuses or is unknown.
std::vector<at::Tensor> run_by(Instance& instance, const CallInputs& call, const std::string& implementation);

}  // namespace opyard
