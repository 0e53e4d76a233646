// The device of a call that no input decides.
#pragma once

#include "signature/failure.h"

namespace opyard {

/// The parameter `device` where it is set, else the construction's tensors', else the accelerator's current one, else
/// the CPU. Throws SignatureError for a text that names no device, and for construction tensors on several.
c10::Device default_device(const Signature::Program& program, const Construction& construction);

}  // namespace opyard
