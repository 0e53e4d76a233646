// What refuses a call for an implementation: its declared limits, the user's decisions, its own function.
#pragma once

#include <opyard/implementation.h>

namespace opyard {

/// Whether it serves the call. Tells no reason, so that a limit which is data costs no text.
/// Throws ContractError, naming the implementation, where its refusal raises.
bool serves(const Implementation& implementation, const CallSpec& call);

/// The same with the reason.
Refusal refusal_of(const Implementation& implementation, const CallSpec& call);

}  // namespace opyard
