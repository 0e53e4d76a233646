// Registering, ordering and removing overrides, also while other threads call.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <override/matmul_routes.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace opyard {
namespace {

at::Tensor ones() { return at::ones({2, 2}); }

Router<BinaryProduct>& mm_router() { return matmul_routers().mm; }

auto marked(float mark) {
  return [mark](const at::Tensor&, const at::Tensor&) { return at::full({2, 2}, mark); };
}

float mark_of(const at::Tensor& result) { return result[0][0].item<float>(); }

float served() { return mark_of(at::mm(ones(), ones())); }  // by torch: 2

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const NodeReport& node : mm_router().nodes()) {
    names.push_back(node.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Handle, RemovesItsOverrideWhenDestroyed) {
  {
    const OverrideHandle handle = mm_router().add_override("seven", {}, marked(7));
    EXPECT_EQ(served(), 7);
  }
  EXPECT_EQ(served(), 2);
  EXPECT_EQ(names(), Names{});
}

TEST(Handle, MovesWithItsRegistration) {
  OverrideHandle handle = mm_router().add_override("seven", {}, marked(7));
  OverrideHandle moved = std::move(handle);
  EXPECT_FALSE(handle.active());
  EXPECT_EQ(served(), 7);
  moved = mm_router().add_override("eight", {}, marked(8));
  EXPECT_EQ(names(), Names{"eight"});
  moved.remove();
  moved.remove();
  EXPECT_EQ(served(), 2);
}

TEST(Handle, RemovesInAnyOrder) {
  OverrideHandle a = mm_router().add_override("a", {}, marked(1));
  OverrideHandle b = mm_router().add_override("b", {}, marked(3));
  OverrideHandle c = mm_router().add_override("c", {}, marked(4));
  b.remove();
  EXPECT_EQ(names(), (Names{"c", "a"}));
  c.remove();
  EXPECT_EQ(served(), 1);
}

TEST(Handle, FreesWhatTheImplementationHolds) {
  auto held = std::make_shared<int>(0);
  OverrideHandle handle = mm_router().add_override("holds", {}, [held](const at::Tensor&, const at::Tensor&) {
    return at::full({2, 2}, 7.0f);
  });
  served();
  handle.remove();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Handle, MayBeRemovedByTheImplementationItself) {
  OverrideHandle handle;
  auto held = std::make_shared<float>(7.0f);
  handle = mm_router().add_override("once", {}, [&handle, held](const at::Tensor&, const at::Tensor&) {
    handle.remove();
    return at::full({2, 2}, *held);
  });
  EXPECT_EQ(served(), 7);
  EXPECT_EQ(served(), 2);
  EXPECT_EQ(reclaim(), 0u);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Order, IsTheGivenOneUntilRestored) {
  const OverrideHandle a = mm_router().add_override("a", {}, marked(1));
  const OverrideHandle b = mm_router().add_override("b", {}, marked(3));
  const OverrideHandle c = mm_router().add_override("c", {}, marked(4));
  mm_router().set_order({a.ids()[0], c.ids()[0]});
  EXPECT_EQ(names(), (Names{"a", "c"}));
  EXPECT_EQ(served(), 1);
  OverrideHandle later = mm_router().add_override("later", {}, marked(5));
  EXPECT_EQ(names(), (Names{"later", "a", "c"}));
  later.remove();
  mm_router().restore_order();
  EXPECT_EQ(names(), (Names{"c", "b", "a"}));
}

TEST(Order, EmptySwitchesAllOff) {
  const OverrideHandle a = mm_router().add_override("a", {}, marked(1));
  mm_router().set_order({});
  EXPECT_EQ(served(), 2);
  mm_router().restore_order();
  EXPECT_EQ(served(), 1);
}

TEST(Order, OfUnknownOrRepeatedIdsIsRefusedAndChangesNothing) {
  const OverrideHandle a = mm_router().add_override("a", {}, marked(1));
  const std::uint64_t id = a.ids()[0];
  EXPECT_THROW(mm_router().set_order({id, id + 1000}), ContractError);
  EXPECT_THROW(mm_router().set_order({id, id}), ContractError);
  EXPECT_EQ(names(), Names{"a"});
}

TEST(Registering, AThousandTimesLeavesNothing) {
  for (int round = 0; round < 1000; ++round) {
    const OverrideHandle handle = mm_router().add_override("round", {}, marked(7));
    ASSERT_EQ(served(), 7);
  }
  EXPECT_EQ(names(), Names{});
  EXPECT_EQ(reclaim(), 0u);
  EXPECT_EQ(served(), 2);
}

TEST(Registering, BeyondTheBoundIsRefused) {
  std::vector<OverrideHandle> handles;
  EXPECT_THROW(
      for (std::uint32_t i = 0; i <= kMaxNodes;
           ++i) { handles.push_back(mm_router().add_override("one of many", {}, marked(7))); },
      ContractError);
  EXPECT_EQ(handles.size(), kMaxNodes);
  handles.clear();
  const OverrideHandle again = mm_router().add_override("again", {}, marked(7));
  EXPECT_EQ(again.counts().hits, 0u);
}

// An implementation that tells whether it was called after its node was freed.
struct Guarded {
  explicit Guarded(float m) : alive(std::make_shared<std::atomic<bool>>(true)), mark(m) {}
  Guarded(Guarded&&) = default;
  ~Guarded() {
    if (alive != nullptr) {
      alive->store(false);
    }
  }
  at::Tensor operator()(const at::Tensor&, const at::Tensor&) const {
    const bool before = alive->load();
    std::this_thread::yield();
    return at::full({2, 2}, before && alive->load() ? mark : -1.0f);
  }
  std::shared_ptr<std::atomic<bool>> alive;
  float mark;
};

TEST(Registering, IsSafeWhileFourThreadsCall) {
  constexpr int kCallers = 4;
  matmul_routers();
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      while (!stop) {
        const float mark = served();
        wrong += mark != 2 && mark != 10 && mark != 11;
        ++calls;
      }
    });
  }
  for (int round = 0; round < 3000 || calls < 1000; ++round) {
    const OverrideHandle first = mm_router().add_override("ten", {}, Guarded(10));
    const OverrideHandle second = mm_router().add_override("eleven", {}, Guarded(11));
    mm_router().set_order({first.ids()[0]});
    mm_router().restore_order();
  }
  stop = true;
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(names(), Names{});
  EXPECT_EQ(reclaim(), 0u);
}

TEST(Registering, TakesEffectForCallsThatBeginAfterIt) {
  std::atomic<int> generation{0};
  std::atomic<bool> stop{false};
  std::atomic<int> stale{0};
  std::thread caller([&] {
    while (!stop) {
      const int before = generation;
      const float mark = served();
      stale += mark < static_cast<float>(before);
    }
  });
  OverrideHandle current;
  for (int next = 1; next <= 2000; ++next) {
    OverrideHandle handle = mm_router().add_override("next", {}, marked(static_cast<float>(next + 2)));
    generation = next + 2;
    current = std::move(handle);
  }
  stop = true;
  caller.join();
  EXPECT_EQ(stale, 0);
}

TEST(Counts, AreExactOverThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 5000;
  const OverrideHandle serves = mm_router().add_override("serves", {}, marked(7));
  const OverrideHandle falls = mm_router().add_override("falls", {{{.argument = "self", .ranks = {3}}}}, marked(8));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (int call = 0; call < kCalls; ++call) {
        served();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(serves.counts().hits, kThreads * kCalls);
  EXPECT_EQ(falls.counts().falls, kThreads * kCalls);
}

TEST(Counts, StartAtZeroForANewOverride) {
  {
    const OverrideHandle handle = mm_router().add_override("old", {}, marked(7));
    served();
  }
  const OverrideHandle handle = mm_router().add_override("new", {}, marked(7));
  EXPECT_EQ(handle.counts().hits, 0u);
}

TEST(ForkedChild, RegistersCallsAndFreesAlthoughAnotherThreadWasInACall) {
  std::atomic<bool> inside{false};
  std::atomic<bool> go_on{false};
  OverrideHandle slow = mm_router().add_override("slow", {}, [&](const at::Tensor&, const at::Tensor&) {
    inside = true;
    while (!go_on) {
      std::this_thread::yield();
    }
    return at::full({2, 2}, 7.0f);
  });
  std::thread caller(served);
  while (!inside) {
    std::this_thread::yield();
  }
  const pid_t child = fork();
  if (child == 0) {
    slow.remove();
    OverrideHandle handle = mm_router().add_override("child", {}, marked(9));
    const at::Tensor a = at::ones({2, 2});
    const bool right = mark_of(at::mm(a, a)) == 9;
    handle.remove();
    _exit(right && reclaim() == 0 ? 0 : 1);
  }
  slow.remove();
  EXPECT_EQ(reclaim() > 0, true) << "the call that runs still holds it";
  go_on = true;
  caller.join();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  EXPECT_EQ(reclaim(), 0u);
}

}  // namespace
}  // namespace opyard
