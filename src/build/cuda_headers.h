// The CUDA headers under kernels/, as text in the library: a compiler is fed from memory.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace opyard::cuda {

/// Name as in an include, such as `lib/cuda/pack.cuh`, and text. In path order; made by the build.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_headers();

}  // namespace opyard::cuda
