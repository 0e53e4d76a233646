// The implementations that come with opyard, one function a file under kernels/; the list is generated.
#pragma once

#include <opyard/implementation.h>

#include <functional>
#include <vector>

namespace opyard::kernels {

/// Calls `add` with what each kernel file declares, in path order. `arch`: 0 baseline, 1 AVX2, 2 AVX-512.
void for_each_builtin(int arch, const std::function<void(std::vector<Implementation>)>& add);

}  // namespace opyard::kernels
