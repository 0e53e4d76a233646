// One callable in front of all forms of a matrix product: what it gets, and which calls stay torch's.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <override/matmul_routes.h>

#include <functional>

namespace opyard {
namespace {

// Values that no product of these inputs has, so that a result tells who made it.
constexpr float kMark = 1000.0f;

at::Tensor a() { return at::arange(6, at::kFloat).view({2, 3}); }  // 0 1 2 / 3 4 5
at::Tensor b() { return at::arange(12, at::kFloat).view({3, 4}); }
at::Tensor ab() { return at::tensor({20.f, 23.f, 26.f, 29.f, 56.f, 68.f, 80.f, 92.f}).view({2, 4}); }
at::Tensor marks() { return at::full({2, 4}, kMark); }

// Writes into a buffer where there is one; the call's result says whether it did.
struct Writes {
  bool operator()(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& result) const {
    *had_buffer = result.defined();
    if (!result.defined()) {
      result = at::empty({self.size(0), mat2.size(1)}, self.options());
    }
    result.fill_(kMark);
    return true;
  }
  std::shared_ptr<bool> had_buffer = std::make_shared<bool>(false);
};

struct Replaces {
  bool operator()(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& result) const {
    result = at::full({self.size(0), mat2.size(1)}, kMark, self.options());
    return true;
  }
};

TEST(BothForms, AreServedByOneCallable) {
  const Writes writes;
  OverrideHandle handle = override_mm("writes", {}, writes);
  EXPECT_TRUE(at::equal(at::mm(a(), b()), marks()));
  EXPECT_FALSE(*writes.had_buffer);
  at::Tensor out = at::empty({2, 4});
  const void* data = out.data_ptr();
  EXPECT_TRUE(at::mm_out(out, a(), b()).is_same(out));
  EXPECT_TRUE(*writes.had_buffer);
  EXPECT_EQ(out.data_ptr(), data);
  EXPECT_TRUE(at::equal(out, marks()));
  EXPECT_EQ(handle.counts().hits, 2u);
  handle.remove();
  EXPECT_TRUE(at::equal(at::mm(a(), b()), ab()));
  EXPECT_TRUE(at::equal(at::mm_out(out, a(), b()), ab()));
}

struct OutRow {
  std::string name;
  std::function<at::Tensor()> out;
  bool served;
  std::vector<std::int64_t> strides;
};

class Out : public testing::TestWithParam<OutRow> {};

template <class F>
void check_out(const OutRow& row, F f) {
  const OverrideHandle handle = override_mm("marks", {}, f);
  at::Tensor out = row.out();
  const at::Tensor& result = at::mm_out(out, a(), b());
  EXPECT_TRUE(result.is_same(out));
  EXPECT_TRUE(at::equal(out, row.served ? marks() : ab()));
  EXPECT_EQ(out.strides(), row.strides);
  EXPECT_EQ(handle.counts().hits, row.served ? 1u : 0u);
}

TEST_P(Out, IsWrittenInPlace) { check_out(GetParam(), Writes()); }
TEST_P(Out, IsCopiedIntoWhenReplaced) { check_out(GetParam(), Replaces()); }

INSTANTIATE_TEST_SUITE_P(Rows, Out,
                         testing::Values(OutRow{"exact",
                                                [] {
                                                  return at::empty({2, 4});
                                                },
                                                true,
                                                {4, 1}},
                                         OutRow{"empty_is_resized", [] { return at::empty({0}); }, true, {4, 1}},
                                         OutRow{"empty_matrix_is_resized",
                                                [] {
                                                  return at::empty({0, 9});
                                                },
                                                true,
                                                {4, 1}},
                                         OutRow{"transposed_keeps_its_strides",
                                                [] {
                                                  return at::empty({4, 2}).t();
                                                },
                                                true,
                                                {1, 2}},
                                         OutRow{"a_larger_one_is_torchs",
                                                [] {
                                                  return at::empty({3, 4});
                                                },
                                                false,
                                                {4, 1}}),
                         [](const auto& row) { return row.param.name; });

TEST(Out, ThatSharesMemoryWithAnInputIsTorchs) {
  const OverrideHandle handle = override_mm("marks", {}, Writes());
  at::Tensor pool = at::zeros({4, 2});
  at::Tensor out = pool.slice(0, 0, 2);
  at::mm_out(out, pool.slice(0, 2, 4), at::ones({2, 2}));
  EXPECT_EQ(handle.counts().hits, 0u);
  EXPECT_EQ(out.sum().item<float>(), 0);
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "none";
}

struct WrongCall {
  std::string name;
  std::function<void()> call;
};

class WrongCalls : public testing::TestWithParam<WrongCall> {};

TEST_P(WrongCalls, RaiseTorchsOwnErrors) {
  matmul_routers();
  const std::string torchs = error_of(GetParam().call);
  ASSERT_NE(torchs, "none");
  const OverrideHandle mm = override_mm("marks", {}, Writes());
  const OverrideHandle bmm = override_bmm("marks", {}, Writes());
  const OverrideHandle addmm = override_addmm("marks", {},
                                              [](const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                                 const at::Scalar&, const at::Scalar&, at::Tensor& result) {
                                                result = marks();
                                                return true;
                                              });
  EXPECT_EQ(error_of(GetParam().call), torchs);
  EXPECT_EQ(mm.counts().hits + bmm.counts().hits + addmm.counts().hits, 0u);
}

at::Tensor batch(std::int64_t n, std::int64_t rows, std::int64_t columns) { return at::ones({n, rows, columns}); }

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongCalls,
    testing::Values(WrongCall{"inner_sizes", [] { at::mm(a(), a()); }}, WrongCall{"rank", [] { at::mm(a(), b()[0]); }},
                    WrongCall{"dtypes", [] { at::mm(a(), b().to(at::kDouble)); }},
                    WrongCall{"out_dtype",
                              [] {
                                at::Tensor out = at::empty({2, 4}, at::kDouble);
                                at::mm_out(out, a(), b());
                              }},
                    WrongCall{"out_of_an_element_twice",
                              [] {
                                at::Tensor out = at::empty({1, 1}, at::kDouble).expand({2, 4});
                                at::mm_out(out, a(), b());
                              }},
                    WrongCall{"bmm_batches", [] { at::bmm(batch(2, 2, 3), batch(3, 3, 2)); }},
                    WrongCall{"bmm_inner_sizes", [] { at::bmm(batch(2, 2, 3), batch(2, 2, 3)); }},
                    WrongCall{"addmm_self_does_not_expand", [] { at::addmm(at::ones({3}), a(), b()); }},
                    WrongCall{"addmm_self_has_more_dims",
                              [] {
                                at::addmm(at::ones({1, 2, 4}), a(), b());
                              }},
                    WrongCall{"addmm_self_dtype", [] { at::addmm(at::ones({4}, at::kDouble), a(), b()); }}),
    [](const auto& row) { return row.param.name; });

struct WrongResult {
  std::string name;
  std::function<at::Tensor()> result;
  std::string got;
};

class WrongResults : public testing::TestWithParam<WrongResult> {};

TEST_P(WrongResults, AreErrorsThatNameTheOverride) {
  const OverrideHandle handle = override_mm("wrong", {}, [](const at::Tensor&, const at::Tensor&, at::Tensor& result) {
    result = GetParam().result();
    return true;
  });
  for (const bool with_out : {false, true}) {
    at::Tensor out = at::empty({2, 4});
    try {
      with_out ? at::mm_out(out, a(), b()) : at::mm(a(), b());
      FAIL() << "served";
    } catch (const ContractError& error) {
      EXPECT_EQ(error.facts().argument, "wrong");
      EXPECT_EQ(error.facts().expected, "Float [2, 4], contiguous");
      EXPECT_EQ(error.facts().got, GetParam().got);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, WrongResults,
                         testing::Values(WrongResult{"undefined", [] { return at::Tensor(); }, "an undefined tensor"},
                                         WrongResult{"dtype",
                                                     [] {
                                                       return at::ones({2, 4}, at::kDouble);
                                                     },
                                                     "Double [2, 4], contiguous"},
                                         WrongResult{"sizes",
                                                     [] {
                                                       return at::ones({4, 2});
                                                     },
                                                     "Float [4, 2], contiguous"},
                                         WrongResult{"strides",
                                                     [] {
                                                       return at::ones({4, 2}).t();
                                                     },
                                                     "Float [2, 4], not contiguous"}),
                         [](const auto& row) { return row.param.name; });

TEST(Addmm, GetsItsScalarsAndAnyBiasThatExpands) {
  std::vector<double> scalars;
  const OverrideHandle handle =
      override_addmm("watch", {},
                     [&scalars](const at::Tensor& self, const at::Tensor& mat1, const at::Tensor& mat2,
                                const at::Scalar& beta, const at::Scalar& alpha, at::Tensor& result) {
                       scalars = {beta.toDouble(), alpha.toDouble()};
                       result = at::full({mat1.size(0), mat2.size(1)}, kMark) + self;
                       return true;
                     });
  for (const at::Tensor& bias : {at::ones({4}), at::ones({}), at::ones({1, 4}), at::ones({2, 1}), at::ones({2, 4})}) {
    EXPECT_TRUE(at::equal(at::addmm(bias, a(), b(), 0.5, 2), marks() + 1)) << bias.sizes();
  }
  EXPECT_EQ(scalars, (std::vector<double>{0.5, 2}));
  at::Tensor out = at::empty({0});
  EXPECT_TRUE(at::equal(at::addmm_out(out, at::ones({4}), a(), b()), marks() + 1));
  EXPECT_EQ(handle.counts().hits, 6u);
}

TEST(Bmm, IsServedInBothForms) {
  const OverrideHandle handle =
      override_bmm("marks", {}, [](const at::Tensor& self, const at::Tensor& mat2, at::Tensor& result) {
        result = at::full({self.size(0), self.size(1), mat2.size(2)}, kMark);
        return true;
      });
  EXPECT_TRUE(at::equal(at::bmm(batch(2, 3, 4), batch(2, 4, 5)), at::full({2, 3, 5}, kMark)));
  at::Tensor out = at::empty({2, 3, 5});
  EXPECT_TRUE(at::equal(at::bmm_out(out, batch(2, 3, 4), batch(2, 4, 5)), at::full({2, 3, 5}, kMark)));
  EXPECT_EQ(handle.counts().hits, 2u);
}

}  // namespace
}  // namespace opyard
