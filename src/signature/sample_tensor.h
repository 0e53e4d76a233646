// Tensors for a sampled call: contents, and how they lie in memory.
#pragma once

#include <ATen/core/Tensor.h>

#include "signature/workload_cases.h"

namespace opyard {

enum class Layout : std::uint8_t {
  kPlain,
  kStrided,     // gaps between the elements of every row
  kTransposed,  // the last two dims exchanged in memory
  kExpanded,    // one dim repeated by a stride of 0
  kOffset,      // begins inside its storage, at an odd element
};

const char* layout_name(Layout layout);

/// A tensor with the case's contents where it demands some, else random numbers that `seed` decides: small integers,
/// floats of magnitude 1 with a few exact zeros. On the CPU where the declaration says so.
at::Tensor make_tensor(const WorkloadTensor& tensor, Layout layout, c10::Device device, std::uint32_t seed);

}  // namespace opyard
