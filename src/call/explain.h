// The whole reasoning of a call without running it.
#pragma once

#include <call/instance.h>

#include <string>

namespace opyard {

/// One line for the choice, one for each other implementation with its refusal. Throws SignatureError for a bad call.
std::string explain(const Instance& instance, const at::Tensor* const* inputs);

}  // namespace opyard
