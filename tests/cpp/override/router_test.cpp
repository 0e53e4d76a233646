// How a router serves a call: order, conditions, counts, errors, and what falls through.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/aten_original.h>
#include <opyard/error.h>
#include <override/matmul_routes.h>

namespace opyard {
namespace {

at::Tensor left() { return at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2}); }
at::Tensor right() { return at::tensor({5.0f, 6.0f, 7.0f, 8.0f}).view({2, 2}); }
at::Tensor product() { return at::tensor({19.0f, 22.0f, 43.0f, 50.0f}).view({2, 2}); }

Router<BinaryProduct>& mm_router() { return matmul_routers().mm; }

// An implementation whose results tell it from all others.
auto marked(float mark) {
  return [mark](const at::Tensor& self, const at::Tensor& mat2) {
    return at::full({self.size(0), mat2.size(1)}, mark);
  };
}

float mark_of(const at::Tensor& result) { return result[0][0].item<float>(); }

const Condition kOnlyDouble{{{.argument = "self", .dtypes = {at::kDouble}}}};

TEST(Router, WithoutOverridesGivesTorchsValuesAndStrides) {
  mm_router();
  const at::Tensor result = at::mm(left().t(), right());
  EXPECT_TRUE(at::equal(result, at::tensor({26.0f, 30.0f, 38.0f, 44.0f}).view({2, 2})));
  EXPECT_EQ(result.strides(), (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(mm_router().nodes().empty());
}

TEST(Router, FallsThroughWhenNoConditionHolds) {
  const OverrideHandle handle = mm_router().add_override("double only", kOnlyDouble, marked(7));
  EXPECT_TRUE(at::equal(at::mm(left(), right()), product()));
  EXPECT_EQ(handle.counts().hits, 0u);
  EXPECT_EQ(handle.counts().falls, 1u);
  EXPECT_EQ(mm_router().nodes()[0].last_reason, "not: self.dtype in {Double}");
}

TEST(Router, GivesTheImplementationTheArgumentsAsTheyCame) {
  const at::Tensor* seen[2] = {nullptr, nullptr};
  const OverrideHandle handle =
      mm_router().add_override("watch", {}, [&seen](const at::Tensor& self, const at::Tensor& mat2) {
        seen[0] = &self;
        seen[1] = &mat2;
        return at::full({2, 2}, 7.0f);
      });
  const c10::InferenceMode below_autograd;  // which hands on tensors of its own
  const at::Tensor a = left().t();
  const at::Tensor b = right();
  EXPECT_EQ(mark_of(at::mm(a, b)), 7);
  ASSERT_NE(seen[0], nullptr);
  EXPECT_EQ(seen[0], &a);
  EXPECT_EQ(seen[1], &b);
  EXPECT_EQ(handle.counts().hits, 1u);
}

TEST(Router, IsMetByMethodsFunctionsAndBoxedCalls) {
  const OverrideHandle handle = mm_router().add_override("all", {}, marked(7));
  EXPECT_EQ(mark_of(left().mm(right())), 7);
  EXPECT_EQ(mark_of(at::matmul(left(), right())), 7);
  torch::jit::Stack stack = {left(), right()};
  mm_router().op().callBoxed(stack);
  EXPECT_EQ(mark_of(stack[0].toTensor()), 7);
  EXPECT_EQ(handle.counts().hits, 3u);
}

TEST(Router, TriesTheLastRegisteredFirstAndStopsThere) {
  const OverrideHandle first = mm_router().add_override("first", {}, marked(1));
  const OverrideHandle second = mm_router().add_override("second", {}, marked(2));
  EXPECT_EQ(mark_of(at::mm(left(), right())), 2);
  EXPECT_EQ(first.counts().hits + first.counts().falls, 0u);
}

TEST(Router, GoesOnWhenAnImplementationDeclines) {
  const OverrideHandle serves = mm_router().add_override("serves", {}, marked(1));
  const OverrideHandle declines =
      mm_router().add_override("declines", {}, [](const at::Tensor&, const at::Tensor&) { return at::Tensor(); });
  EXPECT_EQ(mark_of(at::mm(left(), right())), 1);
  EXPECT_EQ(declines.counts().falls, 1u);
  EXPECT_EQ(mm_router().nodes()[0].last_reason, "its implementation declined");
}

TEST(Router, AsksThePredicateAfterTheConditionAndOnlyOnce) {
  int asked = 0;
  const auto predicate = [&asked](const at::Tensor& self, const at::Tensor&) {
    ++asked;
    return self.size(0) == 3;
  };
  const Condition only_float{{{.argument = "self", .dtypes = {at::kFloat}}}};
  const OverrideHandle handle = mm_router().add_override("three rows", only_float, marked(7), predicate);
  at::mm(left().to(at::kDouble), right().to(at::kDouble));
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(at::equal(at::mm(left(), right()), product()));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(mm_router().nodes()[0].last_reason, "its predicate is false");
  EXPECT_EQ(mark_of(at::mm(at::ones({3, 2}), right())), 7);
}

TEST(Router, NamesTheOverrideWhosePredicateRaises) {
  const OverrideHandle handle = mm_router().add_override(
      "broken", {}, marked(7),
      [](const at::Tensor&, const at::Tensor&) -> bool { throw std::runtime_error("no such field"); });
  try {
    at::mm(left(), right());
    FAIL() << "served";
  } catch (const ContractError& error) {
    EXPECT_EQ(error.facts().argument, "broken");
    EXPECT_EQ(error.facts().got, "no such field");
  }
}

TEST(Router, LetsAnImplementationsErrorThroughAndServesOn) {
  OverrideHandle handle = mm_router().add_override(
      "raises", {}, [](const at::Tensor&, const at::Tensor&) -> at::Tensor { throw std::out_of_range("no room"); });
  EXPECT_THROW(at::mm(left(), right()), std::out_of_range);
  EXPECT_EQ(handle.counts().hits, 0u);
  handle.remove();
  EXPECT_TRUE(at::equal(at::mm(left(), right()), product()));
  EXPECT_EQ(reclaim(), 0u) << "the section was left when the error passed";
}

TEST(Router, IsPassedInsideAnAtenOriginal) {
  const OverrideHandle handle = mm_router().add_override("all", {}, marked(7));
  {
    const AtenOriginal outer;
    { const AtenOriginal inner; }
    EXPECT_TRUE(at::equal(at::mm(left(), right()), product()));
  }
  EXPECT_EQ(handle.counts().hits + handle.counts().falls, 0u);
  EXPECT_EQ(mark_of(at::mm(left(), right())), 7);
}

TEST(Router, IsMetAgainByAnImplementationsOwnCalls) {
  const OverrideHandle inner = mm_router().add_override("inner", kOnlyDouble, marked(7));
  const Condition only_float{{{.argument = "self", .dtypes = {at::kFloat}}}};
  const OverrideHandle outer =
      mm_router().add_override("outer", only_float, [](const at::Tensor& self, const at::Tensor& mat2) {
        return at::mm(self.to(at::kDouble), mat2.to(at::kDouble)).to(at::kFloat) + 1;
      });
  EXPECT_EQ(mark_of(at::mm(left(), right())), 8);
}

TEST(Router, StopsEndlessRecursionNamingTheOverride) {
  const OverrideHandle handle = mm_router().add_override(
      "again", {}, [](const at::Tensor& self, const at::Tensor& mat2) { return at::mm(self, mat2); });
  try {
    at::mm(left(), right());
    FAIL() << "served";
  } catch (const ContractError& error) {
    EXPECT_EQ(error.facts().op, "aten::mm at CPU");
    EXPECT_EQ(error.facts().argument, "again");
  }
}

TEST(Router, InstallingAnnouncesNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a new process, where it is the first override
  EXPECT_EXIT(
      {
        matmul_routers();
        std::exit(mark_of(at::mm(left(), right())) == 19 ? 0 : 1);
      },
      testing::ExitedWithCode(0), testing::Eq(""));
}

TEST(Router, RefusesAnotherSignature) {
  EXPECT_THROW(Router<BinaryProduct>("aten::addmm", "", c10::DispatchKey::CPU), c10::Error);
  EXPECT_THROW(Router<BinaryProduct>("aten::no_such_operator", "", c10::DispatchKey::CPU), c10::Error);
}

}  // namespace
}  // namespace opyard
