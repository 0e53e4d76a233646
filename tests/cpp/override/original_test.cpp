// What a call falls through to: torch's own kernel, reached either way, and other parties' below and above the router.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <override/router.h>

namespace opyard {
namespace {

using Dot = at::Tensor(const at::Tensor&, const at::Tensor&);
using DotRouter = Router<Dot>;

at::Tensor x() { return at::tensor({1.0f, 2.0f}); }
at::Tensor y() { return at::tensor({3.0f, 4.0f}); }

float dot() { return at::dot(x(), y()).item<float>(); }  // by torch: 11

at::Tensor gives_100(const at::Tensor&, const at::Tensor&) { return at::scalar_tensor(100.0f); }
at::Tensor gives_200(const at::Tensor&, const at::Tensor&) { return at::scalar_tensor(200.0f); }
void gives_300_boxed(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
  stack->clear();
  stack->emplace_back(at::scalar_tensor(300.0f));
}

using Party = std::unique_ptr<torch::Library>;

Party party(torch::CppFunction kernel) {
  auto library = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, "a party", 1);
  library->impl("dot", std::move(kernel));
  return library;
}

OverrideHandle seven(DotRouter& router) {
  return router.add_override("seven", {}, [](const at::Tensor&, const at::Tensor&) { return at::scalar_tensor(7.0f); });
}

class OriginalOf : public testing::TestWithParam<OriginalWay> {
 protected:
  void TearDown() override { ASSERT_EQ(dot(), 11) << "torch's kernel is back"; }
};

TEST_P(OriginalOf, TorchServesWhatFallsThrough) {
  DotRouter router("aten::dot", "", c10::DispatchKey::CPU, GetParam());
  router.install();
  EXPECT_EQ(router.original().way(), GetParam());
  EXPECT_EQ(dot(), 11);
  {
    const OverrideHandle handle = seven(router);
    EXPECT_EQ(dot(), 7);
  }
  EXPECT_EQ(dot(), 11);
  torch::jit::Stack stack = {x(), y()};
  router.original().call_boxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
  EXPECT_EQ(stack[0].toTensor().item<float>(), 11);
  router.uninstall();
}

TEST_P(OriginalOf, APartyAboveIsServedAndLeaves) {
  DotRouter router("aten::dot", "", c10::DispatchKey::CPU, GetParam());
  router.install();
  const OverrideHandle handle = seven(router);
  Party above = party(torch::CppFunction(gives_100));
  EXPECT_EQ(dot(), 100);
  above.reset();
  EXPECT_EQ(dot(), 7);
  router.uninstall();
}

TEST_P(OriginalOf, APartyBelowServesWhatFallsThrough) {
  Party below = party(torch::CppFunction(gives_100));
  DotRouter router("aten::dot", "", c10::DispatchKey::CPU, GetParam());
  router.install();
  EXPECT_EQ(dot(), 100);
  {
    const OverrideHandle handle = seven(router);
    EXPECT_EQ(dot(), 7);
  }
  EXPECT_EQ(dot(), 100);
  router.uninstall();
  below.reset();
}

INSTANTIATE_TEST_SUITE_P(Ways, OriginalOf, testing::Values(OriginalWay::kDirect, OriginalWay::kBoxed),
                         [](const auto& row) { return row.param == OriginalWay::kDirect ? "direct" : "boxed"; });

TEST(Parties, ThatLeaveOneByOneBringBackTorchsKernel) {
  Party first = party(torch::CppFunction(gives_100));
  Party second = party(torch::CppFunction(gives_200));
  Party boxed = party(torch::CppFunction::makeFromBoxedFunction<&gives_300_boxed>());
  DotRouter router("aten::dot", "", c10::DispatchKey::CPU);
  router.install();
  EXPECT_EQ(router.original().registered_at().size(), 4u);
  EXPECT_EQ(dot(), 300);
  boxed.reset();
  EXPECT_EQ(dot(), 200);
  first.reset();
  EXPECT_EQ(dot(), 200);
  second.reset();
  EXPECT_EQ(dot(), 11);
  EXPECT_EQ(router.original().registered_at().size(), 1u);
  router.uninstall();
  EXPECT_EQ(dot(), 11);
}

TEST(Parties, ThatCameWhileTheRouterWasOutAreFoundWhenItReturns) {
  DotRouter router("aten::dot", "", c10::DispatchKey::CPU);
  router.install();
  router.uninstall();
  Party party_between = party(torch::CppFunction(gives_100));
  router.install();
  router.install();
  EXPECT_EQ(dot(), 100);
  party_between.reset();
  EXPECT_EQ(dot(), 11);
  router.uninstall();
}

TEST(Original, OfAnOperatorServedThroughAnAliasKeyIsFound) {
  // aten::mv has one kernel for all backends, registered at CompositeExplicitAutograd.
  Router<Dot> router("aten::mv", "", c10::DispatchKey::CPU);
  EXPECT_EQ(router.original().way(), OriginalWay::kDirect);
  router.install();
  const at::Tensor matrix = at::tensor({1.0f, 2.0f, 3.0f, 4.0f}).view({2, 2});
  EXPECT_TRUE(at::equal(at::mv(matrix, x()), at::tensor({5.0f, 11.0f})));
  const OverrideHandle handle = seven(router);
  EXPECT_EQ(at::mv(matrix, x()).item<float>(), 7);
  router.uninstall();
  EXPECT_TRUE(at::equal(at::mv(matrix, x()), at::tensor({5.0f, 11.0f})));
}

}  // namespace
}  // namespace opyard
