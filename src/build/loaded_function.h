// Machine code on a device, ready to launch.
#pragma once

#include <build/nvrtc.h>

#include <memory>
#include <optional>
#include <string>

namespace opyard::cuda {

/// Loads into the device's primary context. `most_shared_bytes`: dynamic shared memory that launches may ask for.
std::shared_ptr<const Function> load_cubin(const Cubin& cubin, c10::DeviceIndex device, std::size_t most_shared_bytes);

/// In place of a loaded function, where nothing is to be launched.
std::shared_ptr<const Function> only_compiled(std::string name);

/// The architecture of this thread's innermost CompileOnly scope; null outside of one.
const std::string* compile_only_arch();

/// "sm_90a" for 90. From there on an architecture has instructions of its own; code for one runs on no other.
std::string arch_name(int capability);

/// 90 of "sm_90a"; BuildError for what is no architecture.
int capability_of(const std::string& arch);

/// BuildError when the device's current stream is being captured: nothing may be built then.
void refuse_capture(c10::Device device, const std::string& function);

}  // namespace opyard::cuda
