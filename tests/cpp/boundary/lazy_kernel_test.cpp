// A kernel that is made by its first call, once, whichever thread is first.
#include <boundary/lazy_kernel.h>
#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

namespace opyard {
namespace {

std::atomic<int> living = 0;

struct CountedKernel {
  CountedKernel() { ++living; }
  ~CountedKernel() { --living; }
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    stack->emplace_back(reinterpret_cast<std::int64_t>(this));
  }
};

TEST(LazyKernel, is_made_by_the_first_call_and_kept) {
  constexpr int kThreads = 8;
  const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::relu", "");
  {
    LazyKernel<CountedKernel> kernel([] { return std::make_unique<CountedKernel>(); });
    EXPECT_EQ(living, 0);
    std::barrier together(kThreads);
    std::vector<torch::jit::Stack> stacks(kThreads);
    {
      std::vector<std::jthread> threads;
      for (torch::jit::Stack& stack : stacks)
        threads.emplace_back([&] {
          together.arrive_and_wait();
          kernel(op, {}, &stack);
          kernel(op, {}, &stack);
        });
    }
    EXPECT_EQ(living, 1);
    for (const torch::jit::Stack& stack : stacks)
      for (const c10::IValue& served : stack) EXPECT_EQ(served.toInt(), stacks[0][0].toInt());
  }
  EXPECT_EQ(living, 0);
}

TEST(LazyKernel, that_cannot_be_made_raises_and_may_be_made_later) {
  const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::relu", "");
  bool possible = false;
  LazyKernel<CountedKernel> kernel([&] {
    if (!possible) throw std::runtime_error("not now");
    return std::make_unique<CountedKernel>();
  });
  torch::jit::Stack stack;
  EXPECT_THROW(kernel(op, {}, &stack), std::runtime_error);
  possible = true;
  EXPECT_NO_THROW(kernel(op, {}, &stack));
}

}  // namespace
}  // namespace opyard
