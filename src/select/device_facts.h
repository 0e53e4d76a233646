// What a device can do, read on a miss only.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace opyard {

/// CPU: 0 baseline, 1 AVX2, 2 AVX-512; CUDA: 10 * major + minor; -1 for a device type without a reader.
/// ATEN_CPU_CAPABILITY lowers it as in torch.
int device_arch(c10::Device device);

/// What a measurement on this device holds for: the processor, its threads and torch, as text.
std::string device_identity(c10::Device device);

}  // namespace opyard
