// Step 4: the target of an instance, selected by the first call that must run an implementation.
#pragma once

#include <c10/core/Device.h>
#include <target/target.h>

#include <string>

namespace opyard {

/// `requested` is the constructor's target, empty for none. Throws OpNotAvailableError on an unknown name, with the
/// known ones.
const Target& resolve_target(const std::string& op, const std::string& requested, c10::Device device);

}  // namespace opyard
