// Where a call runs, as far as its tensors, the construction and the process say.
#pragma once

#include <call/instance_spec.h>

#include <optional>

namespace opyard {

/// `solved`, the device that the check settled; nothing where no tensor, no parameter and no accelerator names one.
std::optional<c10::Device> call_device(const InstanceSpec& spec, c10::Device solved, const at::Tensor* const* inputs);

}  // namespace opyard
