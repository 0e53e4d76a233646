#include <build/entry_cache.h>
#include <gtest/gtest.h>
#include <opyard/error.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace opyard {
namespace {

Implementation named(const char* key) { return {.op = "Op", .key = key}; }

std::shared_ptr<const Kernel> nothing() {
  return make_kernel([](KernelCall&) {});
}

TEST(EntryCache, builds_once_for_equal_identities_over_threads) {
  EntryCache cache;
  const Implementation implementation = named("one");
  std::atomic<int> builds{0};
  std::vector<std::shared_ptr<const Kernel>> kernels(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      bool here = false;
      kernels[t] = cache.get_or_build(implementation,
                                      {Sequence{1, "x"},
                                       [&] {
                                         ++builds;
                                         std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                         return nothing();
                                       }},
                                      here);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(builds, 1);
  for (const auto& kernel : kernels) EXPECT_EQ(kernel, kernels[0]);
}

TEST(EntryCache, keeps_identities_and_implementations_apart) {
  EntryCache cache;
  const Implementation a = named("a"), b = named("b");
  bool here = false;
  const auto first = cache.get_or_build(a, {1, nothing}, here);
  EXPECT_TRUE(here);
  EXPECT_NE(first, cache.get_or_build(a, {1.0, nothing}, here));
  EXPECT_NE(first, cache.get_or_build(a, {true, nothing}, here));
  EXPECT_NE(first, cache.get_or_build(b, {1, nothing}, here));
  EXPECT_EQ(first, cache.get_or_build(a, {1, nothing}, here));
  EXPECT_FALSE(here);
  EXPECT_EQ(cache.size(), 4u);
}

TEST(EntryCache, a_failing_build_reaches_every_waiter_and_leaves_nothing) {
  EntryCache cache;
  const Implementation implementation = named("broken");
  std::atomic<int> failures{0}, builds{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      bool here = false;
      try {
        cache.get_or_build(implementation,
                           {1,
                            [&]() -> std::shared_ptr<const Kernel> {
                              ++builds;
                              std::this_thread::sleep_for(std::chrono::milliseconds(50));
                              throw BuildError("no compiler", {.op = "Op"});
                            }},
                           here);
      } catch (const BuildError& error) {
        failures += std::string(error.what()).find("no compiler") != std::string::npos;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 4);
  EXPECT_GE(builds, 1);
  EXPECT_EQ(cache.size(), 0u);
  bool here = false;
  EXPECT_NE(cache.get_or_build(implementation, {1, nothing}, here), nullptr);
}

TEST(EntryCache, an_unused_entry_is_dropped_and_built_again_and_a_used_one_stays) {
  EntryCache cache;
  const Implementation implementation = named("one");
  bool here = false;
  cache.get_or_build(implementation, {1, nothing}, here);
  cache.drop_unused(implementation, 1);
  const auto held = cache.get_or_build(implementation, {1, nothing}, here);
  EXPECT_TRUE(here);
  cache.drop_unused(implementation, 1);
  EXPECT_EQ(cache.get_or_build(implementation, {1, nothing}, here), held);
  EXPECT_EQ(cache.builds(), 2u);
}

TEST(EntryCache, makes_room_for_a_new_entry_by_one_that_nobody_holds) {
  RecordProperty("requirement", "C110");
  EntryCache cache(2);
  const Implementation implementation = named("one");
  bool here = false;
  const auto held = cache.get_or_build(implementation, {0, nothing}, here);
  for (int i = 1; i < 100; ++i) cache.get_or_build(implementation, {i, nothing}, here);
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(cache.evictions(), 98u);
  EXPECT_EQ(cache.get_or_build(implementation, {0, nothing}, here), held);
  EXPECT_FALSE(here);
}

}  // namespace
}  // namespace opyard
