// Implementations that serve a call alike, none preferred: which one is ahead on this machine.
#pragma once

#include <call/instance.h>

namespace opyard {

/// For an instance that tunes: fixes a choice (select/measured.h) where implementations tie for the call. It is taken
/// from the artefact store, or measured on the call's own tensors and stored. Where none tie, nothing.
void settle_tie(Instance& instance, const CallSpec& call, const at::Tensor* const* inputs);

}  // namespace opyard
