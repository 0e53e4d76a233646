// Backing a tensor's memory by huge pages: the same values at the same addresses, read with fewer translations.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace opyard {

/// Asks the system to do so now, for a tensor that will be read often, such as a weight. Gives the bytes of the tensor
/// that lie in huge pages afterwards; 0 where the system has none, refuses, or the memory is not the process's own.
std::size_t back_by_huge_pages(const at::Tensor& tensor);

}  // namespace opyard
