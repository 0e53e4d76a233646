#include <ATen/ATen.h>
#include <cache/plan_cache.h>
#include <gtest/gtest.h>
#include <registry/epoch.h>

#include <thread>

namespace opyard {
namespace {

CallKey key_of(const at::Tensor& tensor) {
  CallKey key;
  const at::Tensor* inputs[] = {&tensor};
  EXPECT_TRUE(key.read(inputs, 1));
  return key;
}

std::unique_ptr<CallPlan> plan_for(const CallKey& key) {
  auto plan = std::make_unique<CallPlan>();
  plan->hash = key.hash();
  plan->words.assign(key.words(), key.words() + key.size());
  return plan;
}

bool same(const CallKey& a, const CallKey& b) { return plan_for(a)->matches(b); }

struct KeyCase {
  const char* fact;
  at::Tensor a, b;
  bool equal;
};

TEST(CallKey, holds_every_fact_that_a_plan_depends_on) {
  const at::Tensor x = at::zeros({4, 6});
  const KeyCase cases[] = {
      {"contents", x, at::ones({4, 6}), true},
      {"size", x, at::zeros({4, 7}), false},
      {"rank", x, at::zeros({24}), false},
      {"dtype", x, x.to(at::kBFloat16), false},
      {"transposition", x, at::zeros({6, 4}).t(), false},
      {"strides", at::zeros({4, 12}).slice(1, 0, 12, 2), at::zeros({4, 18}).slice(1, 0, 18, 3), false},
      {"expansion", x, at::zeros({1, 6}).expand({4, 6}), false},
      {"offset", at::zeros({5, 6}).slice(0, 1), at::zeros({4, 6}), true},
      {"device", x, at::empty({4, 6}, at::TensorOptions().device(at::kMeta)), false},
  };
  for (const KeyCase& c : cases) EXPECT_EQ(same(key_of(c.a), key_of(c.b)), c.equal) << c.fact;
}

TEST(CallKey, keeps_absent_inputs_apart) {
  const at::Tensor x = at::zeros({3});
  const at::Tensor* first[] = {&x, nullptr};
  const at::Tensor* second[] = {nullptr, &x};
  CallKey a, b;
  ASSERT_TRUE(a.read(first, 2));
  ASSERT_TRUE(b.read(second, 2));
  EXPECT_FALSE(same(a, b));
}

TEST(PlanCache, finds_what_was_inserted_and_nothing_else) {
  PlanCache cache;
  EpochScope scope(this_thread());
  for (int n = 1; n <= 1000; ++n) {
    const CallKey key = key_of(at::empty({n}));
    EXPECT_EQ(cache.find(key), nullptr);
    const CallPlan* plan = cache.insert(plan_for(key));
    EXPECT_EQ(cache.find(key), plan);
  }
  for (int n = 1; n <= 1000; ++n) EXPECT_NE(cache.find(key_of(at::empty({n}))), nullptr);
  EXPECT_EQ(cache.size(), 1000u);
  EXPECT_EQ(cache.evictions(), 0u);
}

TEST(PlanCache, an_equal_plan_is_published_once) {
  PlanCache cache;
  EpochScope scope(this_thread());
  const CallKey key = key_of(at::empty({3}));
  const CallPlan* first = cache.insert(plan_for(key));
  EXPECT_EQ(cache.insert(plan_for(key)), first);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(PlanCache, stays_within_its_bound_and_keeps_what_is_used) {
  PlanCache cache(64);
  EpochScope scope(this_thread());
  const CallKey kept = key_of(at::empty({7, 7}));
  cache.insert(plan_for(kept));
  for (int n = 1; n <= 2000; ++n) {
    cache.insert(plan_for(key_of(at::empty({n}))));
    ASSERT_NE(cache.find(kept), nullptr) << "after " << n;
    ASSERT_LE(cache.size(), 64u);
  }
  EXPECT_GT(cache.evictions(), 1900u);
}

TEST(PlanCache, readers_and_writers_in_threads_agree) {
  PlanCache cache(32);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        EpochScope scope(this_thread());
        const CallKey key = key_of(at::empty({(i * 7 + t) % 100 + 1}));
        const CallPlan* plan = cache.find(key);
        if (plan == nullptr) plan = cache.insert(plan_for(key));
        if (!plan->matches(key)) ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.size(), 32u);
}

}  // namespace
}  // namespace opyard
