// Everything at once from many threads: calls, first calls, failures, undo, registrations. No call is lost.
#include <ATen/ATen.h>
#include <call/instance.h>
#include <gtest/gtest.h>
#include <opyard/opyard.h>
#include <registry/registry.h>

#include <atomic>
#include <thread>

namespace opyard {
namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 400;
constexpr const char* kOp = "RMSNormFwdOp";

void in_threads(const std::function<void(int thread)>& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
}

/// A registry of its own, with an implementation that fails for inputs of kFails rows and doubles all others.
class Counted {
 public:
  static constexpr std::int64_t kFails = 7;

  Counted() {
    registry.add_operator(Registry::process().find(kOp).signature);
    handle_ = add("counted", {});
  }

  Registration add(const char* key, std::vector<std::string> preferred_over) {
    Implementation doubling{.op = kOp, .key = key, .preferred_over = std::move(preferred_over)};
    doubling.entry_for = [this](const CallSpec& spec) {
      return Entry{spec.input("x").sizes[0] % 3, [this] {
                     ++builds;
                     return make_kernel([](KernelCall& call) {
                       if (call.input(0).size(0) == kFails) throw std::runtime_error("seven rows");
                       at::mul_out(call.output(0), call.input(0), at::scalar_tensor(2));
                     });
                   }};
    };
    return registry.add_implementation(std::move(doubling));
  }

  std::shared_ptr<Instance> instance(double eps) {
    return Instance::make(registry, kOp, {{"normalized_shape", Sequence{8}}, {"eps", eps}});
  }

  std::uint64_t served() const {
    std::uint64_t sum = 0;
    for (const ServedCount& count : registry.served()) sum += count.calls;
    return sum;
  }

  Registry registry;
  std::atomic<int> builds{0};

 private:
  Registration handle_;
};

/// One call with so many rows; whether it completed. A wrong result is a failure of the test.
bool completes(const Op& op, std::int64_t rows) {
  const at::Tensor x = at::full({rows, 8}, static_cast<double>(rows));
  try {
    const at::Tensor y = op({x});
    EXPECT_EQ(y.size(0), rows);
    EXPECT_EQ(y[rows - 1][7].item<double>(), 2.0 * static_cast<double>(rows));
    return true;
  } catch (const std::runtime_error&) {
    EXPECT_EQ(rows, Counted::kFails);
    return false;
  }
}

TEST(Loss, every_call_of_one_instance_completes_or_fails_on_its_own) {
  Counted counted;
  const Op op(counted.instance(0.25));
  std::atomic<std::uint64_t> completed{0};
  in_threads([&](int t) {
    for (int i = 0; i < kRounds; ++i) completed += completes(op, 1 + (i * 5 + t) % 40);
  });
  EXPECT_GT(completed, 0u);
  EXPECT_EQ(counted.served(), completed);
  EXPECT_NE(op.instance()->serving_target(), nullptr);
  EXPECT_EQ(counted.builds, 3);  // a call completed, so no failing one undid what another built
  EXPECT_LE(op.instance()->spec().plans().size(), 39u);
}

TEST(Loss, first_calls_that_fail_beside_first_calls_that_complete_leave_the_instance_bound) {
  Counted counted;
  for (int round = 0; round < 40; ++round) {
    const Op op(counted.instance(1.0 + round));
    std::atomic<int> completed{0};
    in_threads([&](int t) { completed += completes(op, t % 2 == 0 ? Counted::kFails : t); });
    EXPECT_EQ(completed, kThreads / 2 - 1);  // thread 7 has seven rows
    EXPECT_NE(op.instance()->serving_target(), nullptr);
    EXPECT_GT(op.instance()->spec().entries().size(), 0u);
  }
}

TEST(Loss, first_calls_that_all_fail_leave_nothing) {
  Counted counted;
  for (int round = 0; round < 40; ++round) {
    const Op op(counted.instance(100.0 + round));
    in_threads([&](int) { EXPECT_FALSE(completes(op, Counted::kFails)); });
    EXPECT_EQ(op.instance()->serving_target(), nullptr);
    EXPECT_EQ(op.instance()->last_call(), nullptr);
    EXPECT_EQ(op.instance()->spec().plans().size(), 0u);
    EXPECT_EQ(op.instance()->spec().entries().size(), 0u);
  }
}

TEST(Loss, registrations_come_and_go_while_instances_are_made_and_called) {
  Counted counted;
  std::atomic<std::uint64_t> completed{0};
  in_threads([&](int t) {
    const std::string key = "thread" + std::to_string(t);
    for (int i = 0; i < kRounds / 8; ++i) {
      const Registration mine = counted.add(key.c_str(), {"counted"});
      try {
        const Op op(counted.instance(1000.0 + t));
        completed += completes(op, 1 + i % 5);
      } catch (const AmbiguousDispatchError&) {
        // Another thread's implementation is registered too: neither is preferred.
      }
    }
  });
  EXPECT_GT(completed, 0u);
  EXPECT_EQ(counted.served(), completed);
  const Op after(counted.instance(2000.0));
  EXPECT_TRUE(completes(after, 3));
  EXPECT_EQ(after.last_call()->implementation, "counted");
}

TEST(Loss, caches_stay_within_their_bounds_however_many_shapes_come) {
  Counted counted;
  const Op op(counted.instance(3000.0));
  const at::Tensor source = at::zeros({5000, 8});
  for (std::int64_t rows = 1; rows <= 5000; ++rows)
    if (rows != Counted::kFails) op({source.narrow(0, 0, rows)});
  InstanceSpec& spec = op.instance()->spec();
  EXPECT_EQ(spec.plans().size(), spec.plans().capacity());
  EXPECT_EQ(spec.plans().evictions(), 4999 - spec.plans().capacity());
  EXPECT_EQ(spec.entries().size(), 3u);
}

}  // namespace
}  // namespace opyard
