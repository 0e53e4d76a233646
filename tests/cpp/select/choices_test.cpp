#include <ATen/ThreadLocalState.h>
#include <gtest/gtest.h>
#include <select/choices.h>

#include <thread>

namespace opyard {
namespace {

std::uint32_t without(const char* implementation) {
  Choices choices;
  choices.all.push_back({Choice::Kind::kWithout, "Op", implementation});
  return choices_number(std::move(choices));
}

TEST(Choices, equal_decisions_have_one_number_and_none_have_0) {
  EXPECT_EQ(without("a"), without("a"));
  EXPECT_NE(without("a"), without("b"));
  EXPECT_EQ(choices_number({}), 0u);
}

TEST(Choices, a_threads_decisions_hold_where_torch_carries_its_state_and_nowhere_else) {
  const std::uint32_t number = without("a");
  set_thread_choices(number);
  const at::ThreadLocalState state;
  std::thread([&] {
    EXPECT_EQ(thread_choices(this_thread()), 0u);
    {
      const at::ThreadLocalStateGuard carried(state);
      EXPECT_EQ(thread_choices(this_thread()), number);
    }
    EXPECT_EQ(thread_choices(this_thread()), 0u);
  }).join();
  set_thread_choices(0);
  EXPECT_EQ(thread_choices(this_thread()), 0u);
  const at::ThreadLocalState none;
  std::thread([&] {
    const at::ThreadLocalStateGuard carried(none);
    EXPECT_EQ(thread_choices(this_thread()), 0u);
  }).join();
}

}  // namespace
}  // namespace opyard
