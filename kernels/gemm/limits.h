// Which products go to which kernel, by the rows of a: refusals share these borders.
#pragma once

#include <cstdint>

namespace opyard::kernels {

/// Up to so many rows the weight is read once at memory speed by the matrix-vector kernel.
constexpr std::int64_t kSmallM = 6;

/// Up to so many rows tiles of dot products are ahead of packing the weight for oneDNN.
constexpr std::int64_t kMediumM = 64;

/// Up to so many rows packing a for outer products is ahead of packing the weight for oneDNN.
constexpr std::int64_t kLargeM = 192;

}  // namespace opyard::kernels
