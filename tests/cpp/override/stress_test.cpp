// Registering, arranging, removing and reading overrides by two threads while four call: for the thread sanitizer above
// all, in a typed and in a boxed router, in all forms.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <override/boxed_override.h>
#include <override/point_table.h>

#include <thread>

namespace opyard {
namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

constexpr int kCallers = 4;
constexpr int kRounds = 300;

std::shared_ptr<const BoxedServer> marks(double mark) {
  return std::make_shared<const BoxedFunctions>(
      "marks", BoxedFunctions::Predicate{},
      [mark](const c10::OperatorHandle&, Arguments arguments, torch::jit::Stack& results) {
        results.emplace_back(at::full_like(arguments[0].toTensor(), mark));
        return true;
      });
}

struct Row {
  std::string op;
  double torchs;  // of the calls below
  std::function<at::Tensor()> functional, in_place, out;
};

std::vector<Row> rows() {
  const auto x = [] { return at::full({3}, 2.5); };
  return {{"aten::sqrt", std::sqrt(2.5), [x] { return at::sqrt(x()); }, [x] { return x().sqrt_(); },
           [x] {
             at::Tensor out = at::empty({3});
             return at::sqrt_out(out, x());
           }},
          {"aten::trunc", 2, [x] { return at::trunc(x()); }, [x] { return x().trunc_(); },
           [x] {
             at::Tensor out = at::empty({3});
             return at::trunc_out(out, x());
           }}};
}

bool is_any_of(const at::Tensor& result, std::initializer_list<double> marks) {
  const auto value = result[0].item<float>();
  return at::equal(result, at::full_like(result, value)) &&
         std::any_of(marks.begin(), marks.end(), [&](double m) { return value == static_cast<float>(m); });
}

void change(const Row& row, double mark) {
  for (int round = 0; round < kRounds; ++round) {
    const OverrideHandle first = override_boxed({row.op, "", "CPU", "first"}, marks(mark));
    const OverrideHandle second =
        override_boxed({row.op, "", "CPU", "second", {{{.argument = "self", .ranks = {1}}}}}, marks(mark + 1));
    arrange({&first}, {&second});
    arrange({&first, &second}, {});
    for (const NodeReport& node : point_at(row.op, "", "CPU").nodes()) {
      ASSERT_TRUE(node.name == "first" || node.name == "second") << node.name;
    }
    first.counts();
  }
}

TEST(Stress, EveryCallIsServedByWhatWasRegisteredDuringIt) {
  for (const Row& row : rows()) {
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&, i] {
        const auto& call = i % 3 == 0 ? row.functional : i % 3 == 1 ? row.in_place : row.out;
        while (!stop) {
          wrong += !is_any_of(call(), {row.torchs, 10, 11, 20, 21});
        }
      });
    }
    std::thread other([&] { change(row, 20); });
    change(row, 10);
    other.join();
    stop = true;
    for (std::thread& caller : callers) {
      caller.join();
    }
    EXPECT_EQ(wrong, 0) << row.op;
    EXPECT_TRUE(point_at(row.op, "", "CPU").nodes().empty());
    EXPECT_TRUE(is_any_of(row.functional(), {row.torchs}));
    EXPECT_EQ(reclaim(), 0u);
  }
}

}  // namespace
}  // namespace opyard
