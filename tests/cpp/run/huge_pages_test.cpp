// Huge pages change how memory is backed, never what it holds.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <run/huge_pages.h>

namespace opyard {
namespace {

TEST(HugePages, KeepAddressValuesAndNeighbours) {
  const at::Tensor before = at::randn({300, 1000}), tensor = at::randn({3000, 1000}), after = at::randn({300, 1000});
  const at::Tensor copies[] = {before.clone(), tensor.clone(), after.clone()};
  const void* address = tensor.const_data_ptr();
  EXPECT_LE(back_by_huge_pages(tensor.slice(0, 10, 2000)), tensor.storage().nbytes());
  EXPECT_EQ(tensor.const_data_ptr(), address);
  EXPECT_TRUE(at::equal(before, copies[0]));
  EXPECT_TRUE(at::equal(tensor, copies[1]));
  EXPECT_TRUE(at::equal(after, copies[2]));
}

TEST(HugePages, TakeNothingFromEmptyAndForeignTensors) {
  EXPECT_EQ(back_by_huge_pages(at::empty({0})), 0u);
  EXPECT_EQ(back_by_huge_pages(at::empty({4}, at::device(at::kMeta))), 0u);
  EXPECT_EQ(back_by_huge_pages(at::rand({4, 4}).to_mkldnn()), 0u);
}

}  // namespace
}  // namespace opyard
