// Device code under kernels/, as text in the library: compilers are fed from memory. In path order; made by the build.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace opyard::cuda {

/// CUDA headers: name as in an include, such as `lib/cuda/pack.cuh`, and text.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_headers();

/// Python modules in a language embedded in it: path, such as `rms_norm/triton.py`, and text.
const std::vector<std::pair<std::string_view, std::string_view>>& embedded_modules();

}  // namespace opyard::cuda
