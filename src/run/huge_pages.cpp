// Linux's MADV_COLLAPSE: it copies the small pages of a block into one huge page, under the same addresses.
#include <run/huge_pages.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace opyard {
namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
constexpr int kCollapse = 25;  // MADV_COLLAPSE, newer than the C library's header

}  // namespace

std::size_t back_by_huge_pages(const at::Tensor& tensor) {
  if (!tensor.device().is_cpu() || tensor.layout() != at::kStrided || tensor.numel() == 0) {
    return 0;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(tensor.storage().data());
  const std::uintptr_t last = first + tensor.storage().nbytes();
  std::size_t backed = 0;
  // Blocks may begin before and end after the tensor: neighbours in the same mapping move along, unchanged.
  for (std::uintptr_t block = first / kHugePage * kHugePage; block < last; block += kHugePage) {
    if (madvise(reinterpret_cast<void*>(block), kHugePage, kCollapse) == 0) {
      backed += std::min(block + kHugePage, last) - std::max(block, first);
    }
  }
  return backed;
}

}  // namespace opyard
