// First calls, failing calls and changes of the registry while other threads call: for the thread sanitizer above all.
#include <ATen/ATen.h>
#include <call/instance.h>
#include <gtest/gtest.h>
#include <opyard/opyard.h>
#include <registry/registry.h>

#include <atomic>
#include <thread>

namespace opyard {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 150;

// Gives twice its input, except where it has five rows: there it fails.
Entry twice_but_five(const CallSpec&) {
  return {"twice", [] {
            return make_kernel([](KernelCall& call) {
              if (call.input(0).size(0) == 5) throw std::runtime_error("five rows");
              at::mul_out(call.output(0), call.input(0), at::scalar_tensor(2));
            });
          }};
}

std::shared_ptr<Instance> instance_of(Registry& registry, double eps) {
  return Instance::make(registry, "RMSNormFwdOp", {{"normalized_shape", Sequence{8}}, {"eps", eps}});
}

// Calls with rows that many threads meet for the first time at once. Counts what is wrong.
int wrong_calls(const Op& op, int thread) {
  at::NoGradGuard no_grad;
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t rows = (round + thread) % 7 + 1;
    const at::Tensor x = at::full({rows, 8}, 3.0);
    try {
      wrong += !at::equal(op({x}), at::full({rows, 8}, 6.0)) || rows == 5;
    } catch (const std::runtime_error& error) {
      wrong += rows != 5 || std::string(error.what()) != "five rows";
    }
  }
  return wrong;
}

TEST(Stress, first_and_failing_calls_are_right_while_implementations_come_and_go) {
  Registry registry;
  registry.add_operator(Registry::process().find("RMSNormFwdOp").signature);
  const Registration stays =
      registry.add_implementation({.op = "RMSNormFwdOp", .key = "twice", .entry_for = twice_but_five});
  const Op shared(instance_of(registry, 0.25));
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      wrong += wrong_calls(shared, t);
      for (int i = 0; i < 10; ++i) wrong += wrong_calls(Op(instance_of(registry, 0.5 + i)), t);
    });
  std::thread changes([&] {
    while (!stop) {
      const Registration comes = registry.add_implementation(
          {.op = "RMSNormFwdOp", .key = "better", .preferred_over = {"twice"}, .entry_for = twice_but_five});
      registry.implementations("RMSNormFwdOp");
      registry.served();
      std::this_thread::yield();
    }
  });
  for (auto& thread : threads) thread.join();
  stop = true;
  changes.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace opyard
