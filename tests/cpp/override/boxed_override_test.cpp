// Overrides of any operator and key by functions over boxed arguments: what is served, what falls through, what is
// refused.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <override/boxed_override.h>
#include <override/point_table.h>

#include <thread>

namespace opyard {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

// Gives a tensor like the first argument, filled with a mark that torch's kernels do not give.
std::shared_ptr<const BoxedServer> marks(double mark, BoxedFunctions::Predicate predicate = {}) {
  return std::make_shared<const BoxedFunctions>(
      "marks", predicate, [mark](const c10::OperatorHandle&, Arguments arguments, torch::jit::Stack& results) {
        results.emplace_back(at::full_like(arguments[0].toTensor(), mark));
        return true;
      });
}

at::Tensor x() { return at::tensor({-1.0f, 2.0f}); }

bool is_marked(const at::Tensor& result, double mark = 7) { return result.eq(mark).all().item<bool>(); }

// A typed router (relu, add), boxed ones (hardshrink, frac), in three forms each.
struct Row {
  std::string op, overload;
  std::function<at::Tensor()> functional, in_place, out;
};

class Forms : public testing::TestWithParam<Row> {};

TEST_P(Forms, AreServedTogether) {
  const Row& row = GetParam();
  const at::Tensor torchs = row.functional();
  const OverrideHandle handle = override_boxed({row.op, row.overload, "CPU", "all forms"}, marks(7));
  EXPECT_TRUE(is_marked(row.functional()));
  EXPECT_TRUE(is_marked(row.in_place()));
  EXPECT_TRUE(is_marked(row.out()));
  EXPECT_EQ(handle.counts().hits, 3u);
  EXPECT_FALSE(is_marked(torchs));
}

TEST_P(Forms, FallThroughTogether) {
  const Row& row = GetParam();
  const at::Tensor want = row.functional();
  const OverrideHandle handle =
      override_boxed({row.op, row.overload, "CPU", "never", {{{.argument = "self", .ranks = {3}}}}}, marks(7));
  EXPECT_TRUE(at::equal(row.functional(), want));
  EXPECT_TRUE(at::equal(row.in_place(), want));
  EXPECT_TRUE(at::equal(row.out(), want));
  EXPECT_EQ(handle.counts().hits, 0u);
  EXPECT_EQ(handle.counts().falls, 3u);
}

at::Tensor empty() { return at::empty({0}); }

// Called on a fresh tensor; the returned tensor is the very one that was written.
template <class F>
std::function<at::Tensor()> in_place(F f) {
  return [f] {
    at::Tensor self = x();
    const at::Tensor& result = f(self);
    EXPECT_TRUE(result.is_same(self));
    return self;
  };
}

template <class F>
std::function<at::Tensor()> into_out(F f) {
  return [f] {
    at::Tensor target = empty();
    const at::Tensor& result = f(target);
    EXPECT_TRUE(result.is_same(target));
    return target;
  };
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Forms,
    testing::Values(Row{"aten::silu", "", [] { return at::silu(x()); },
                        in_place([](at::Tensor& self) -> at::Tensor& { return at::silu_(self); }),
                        into_out([](at::Tensor& out) -> at::Tensor& { return at::silu_out(out, x()); })},
                    Row{"aten::add", "Tensor", [] { return at::add(x(), x()); },
                        in_place([](at::Tensor& self) -> at::Tensor& { return self.add_(x()); }),
                        into_out([](at::Tensor& out) -> at::Tensor& { return at::add_out(out, x(), x()); })},
                    Row{"aten::atan2", "", [] { return at::atan2(x(), x()); },
                        in_place([](at::Tensor& self) -> at::Tensor& { return self.atan2_(x()); }),
                        into_out([](at::Tensor& out) -> at::Tensor& { return at::atan2_out(out, x(), x()); })},
                    Row{"aten::trunc", "", [] { return at::trunc(x() * 1.5); },
                        in_place([](at::Tensor& self) -> at::Tensor& { return self.mul_(1.5).trunc_(); }),
                        into_out([](at::Tensor& out) -> at::Tensor& { return at::trunc_out(out, x() * 1.5); })}),
    [](const auto& row) { return row.param.op.substr(6); });

TEST(OutForm, IsLeftToTorchWhereTheResultDoesNotFit) {
  const OverrideHandle handle = override_boxed({"aten::atan2", "", "CPU", "seven"}, marks(7));
  at::Tensor wider = at::empty({2}, at::kDouble);
  at::atan2_out(wider, at::full({2}, 1.0), at::full({2}, 1.0));
  EXPECT_TRUE(at::allclose(wider, at::full({2}, std::atan(1.0), at::kDouble)));
  at::Tensor self = at::ones({3, 3}), view = self.select(0, 0);
  at::atan2_out(view, self.select(0, 1), self.select(1, 1).contiguous());
  EXPECT_FALSE(is_marked(view)) << "inputs and output share memory";
}

struct RefusedRow {
  std::string name, op, overload, key, got;
};

class Refused : public testing::TestWithParam<RefusedRow> {};

TEST_P(Refused, WithTheReason) {
  const RefusedRow& row = GetParam();
  try {
    override_boxed({row.op, row.overload, row.key, "refused"}, marks(7));
    FAIL() << "accepted";
  } catch (const ContractError& error) {
    EXPECT_NE(error.facts().got.find(row.got), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Refused,
    testing::Values(RefusedRow{"meta", "aten::relu", "", "Meta", "infers shapes"},
                    RefusedRow{"composite", "aten::relu", "", "CompositeExplicitAutograd", "many backends"},
                    RefusedRow{"autograd", "aten::relu", "", "AutogradCPU", "above the backends"},
                    RefusedRow{"autocast", "aten::mm", "", "AutocastCPU", "above the backends"},
                    RefusedRow{"functionalize", "aten::mm", "", "Functionalize", "above the backends"},
                    RefusedRow{"unknown_key", "aten::relu", "", "GPU", "torch lacks"},
                    RefusedRow{"unknown_operator", "aten::rellu", "", "CPU", "did you mean"},
                    RefusedRow{"unknown_overload", "aten::add", "", "CPU", "no such operator or overload"},
                    RefusedRow{"composite_operator", "aten::softmax", "int", "CPU", "a composite"}),
    [](const auto& row) { return row.param.name; });

TEST(BoxedRouter, CountsWhyANodePassedACallOver) {
  const OverrideHandle handle =
      override_boxed({"aten::atan2", "", "CPU", "predicate"},
                     marks(7, [](Arguments arguments) { return arguments[0].toTensor().dim() == 2; }));
  at::atan2(x(), x());
  EXPECT_EQ(point_at("aten::atan2", "", "CPU").nodes()[0].last_reason, "its predicate is false");
  EXPECT_TRUE(is_marked(at::atan2(x().view({1, 2}), x())));
}

TEST(BoxedRouter, GivesAConditionThatRaisesAsAnErrorThatNamesIt) {
  const OverrideHandle handle = override_boxed(
      {"aten::atan2", "", "CPU", "broken"}, marks(7, [](Arguments) -> bool { throw std::runtime_error("no idea"); }));
  try {
    at::atan2(x(), x());
    FAIL() << "served";
  } catch (const ContractError& error) {
    EXPECT_EQ(error.facts().got, "no idea");
  }
}

TEST(BoxedRouter, RefusesAResultThatIsNotTheArgumentItShouldWrite) {
  const OverrideHandle handle = override_boxed({"aten::atan2_", "", "CPU", "another"}, marks(7));
  at::Tensor self = x();
  EXPECT_THROW(self.atan2_(x()), ContractError);
}

TEST(BoxedRouter, EndsEndlessRecursion) {
  const auto server = std::make_shared<const BoxedFunctions>(
      "recurses", nullptr, [](const c10::OperatorHandle&, Arguments arguments, torch::jit::Stack& results) {
        results.emplace_back(at::atan2(arguments[0].toTensor(), arguments[1].toTensor()));
        return true;
      });
  const OverrideHandle handle = override_boxed({"aten::atan2", "", "CPU", "recurses"}, server);
  EXPECT_THROW(at::atan2(x(), x()), ContractError);
}

TEST(BoxedRouter, RoutesAKeyWithoutKernels) {
  const OverrideHandle handle = override_boxed({"aten::relu", "", "XPU", "xpu only"}, marks(7));
  EXPECT_FALSE(is_marked(at::relu(x())));
  EXPECT_TRUE(point_at("aten::relu", "", "XPU").originals().empty());
}

TEST(Arrange, OrdersSomeAndSwitchesOthersOff) {
  OverridePoint& point = point_at("aten::atan2", "", "CPU");
  const OverrideHandle a = override_boxed({"aten::atan2", "", "CPU", "a"}, marks(1));
  const OverrideHandle b = override_boxed({"aten::atan2", "", "CPU", "b"}, marks(2));
  const OverrideHandle c = override_boxed({"aten::atan2", "", "CPU", "c"}, marks(3));
  const auto names = [&point] {
    std::string text;
    for (const NodeReport& node : point.nodes()) text += node.name;
    return text;
  };
  EXPECT_EQ(names(), "cba");
  arrange({&a, &c}, {});
  EXPECT_EQ(names(), "abc");
  arrange({&b, &a}, {&c});
  EXPECT_EQ(names(), "ba");
  arrange({&c, &b, &a}, {});
  EXPECT_EQ(names(), "cba");
}

TEST(Threads, MayCallWhileOverridesComeAndGo) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  const at::Tensor want = at::atan2(x(), x());
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      while (!done) {
        const at::Tensor result = at::atan2(x(), x());
        if (!is_marked(result) && !is_marked(result, 8) && !at::equal(result, want)) ++wrong;
      }
    });
  }
  for (int round = 0; round < 2000; ++round) {
    const OverrideHandle seven = override_boxed({"aten::atan2", "", "CPU", "seven"}, marks(7));
    const OverrideHandle eight = override_boxed({"aten::atan2", "", "CPU", "eight"}, marks(8));
    arrange({&seven}, {&eight});
    arrange({&seven, &eight}, {});
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Uninstall, BringsBackTorchsTable) {
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::hypot", "");
  const std::string before = op.dumpComputedTable();
  {
    const OverrideHandle handle = override_boxed({"aten::hypot", "", "CPU", "seven"}, marks(7));
    EXPECT_NE(op.dumpComputedTable(), before);
  }
  point_at("aten::hypot", "", "CPU").uninstall();
  EXPECT_EQ(op.dumpComputedTable(), before);
  const OverrideHandle again = override_boxed({"aten::hypot", "", "CPU", "seven"}, marks(7));
  EXPECT_TRUE(is_marked(at::hypot(x(), x())));
}

}  // namespace
}  // namespace opyard
