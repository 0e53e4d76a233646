// What a kernel in a cubin takes, read from the image itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opyard::cuda {

/// The sizes of the parameters in bytes, in order; nothing where the image is no cubin or has no such kernel.
std::optional<std::vector<std::uint32_t>> cubin_parameters(const std::string& image, const std::string& function);

}  // namespace opyard::cuda
