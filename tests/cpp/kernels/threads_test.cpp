// The library is compiled with OpenMP: its kernels share torch's threads.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <opyard/op.h>

#include <filesystem>

namespace opyard {
namespace {

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

TEST(Threads, a_large_product_runs_on_more_than_one) {
  at::set_num_threads(3);
  const std::size_t before = threads_of_this_process();
  make_op("GEMMFwdOp")({at::ones({1, 2048}), at::ones({8192, 2048})});
  EXPECT_GE(threads_of_this_process(), 3u);
  EXPECT_GE(threads_of_this_process(), before);
}

}  // namespace
}  // namespace opyard
