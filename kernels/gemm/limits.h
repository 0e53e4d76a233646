// Which products go to the matrix-vector kernel and which to oneDNN: their refusals share this one border.
#pragma once

#include <cstdint>

namespace opyard::kernels {

/// Up to so many rows the weight is read once at memory speed by the matrix-vector kernel.
constexpr std::int64_t kSmallM = 4;

}  // namespace opyard::kernels
