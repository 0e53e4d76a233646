// Every implementation of GEMMFwdOp against the product in float64, over layouts, dtypes and instruction sets.
#include <kernels/kernel_case.h>
#include <opyard/aten_original.h>

namespace opyard::test {
namespace {

KernelCase gemm(at::Tensor a, at::Tensor b, at::Tensor bias, bool trans_a, bool trans_b) {
  const std::int64_t m = a.size(trans_a ? 1 : 0), n = b.size(trans_b ? 0 : 1);
  return {"GEMMFwdOp",
          {{"a", a}, {"b", b}, {"bias", bias}},
          {{"trans_a", trans_a}, {"trans_b", trans_b}},
          "d",
          a.scalar_type(),
          {m, n}};
}

at::Tensor exact(const KernelCase& row) {
  const auto wide = [&](std::size_t i) { return row.inputs[i].second.to(at::kDouble); };
  at::Tensor a = row.params[0].second.get<bool>() ? wide(0).t() : wide(0);
  at::Tensor b = row.params[1].second.get<bool>() ? wide(1).t() : wide(1);
  at::Tensor d = a.matmul(b);
  return row.inputs[2].second.defined() ? d + wide(2) : d;
}

/// Layouts of one product: as nn.Linear's mm, as addmm, transposed, sliced, expanded, offset.
std::vector<std::pair<std::string, KernelCase>> layouts(std::int64_t m, std::int64_t n, std::int64_t k,
                                                        at::ScalarType t) {
  const at::Tensor a = random({m, k}, t), w = random({n, k}, t), bias = random({n}, t);
  const at::Tensor wide_a = random({m, k + 5}, t), wide_w = random({n + 1, k + 3}, t);
  return {
      {"weight by trans_b", gemm(a, w, {}, false, true)},
      {"weight by stride", gemm(a, w.t(), {}, false, false)},
      {"bias", gemm(a, w.t(), bias, false, false)},
      {"bias expanded", gemm(a, w, random({1}, t).expand({n}), false, true)},
      {"bias strided", gemm(a, w, random({2 * n}, t).slice(0, 0, 2 * n, 2), false, true)},
      {"a transposed", gemm(random({k, m}, t), w, {}, true, true)},
      {"b row-major", gemm(a, w.t().contiguous(), {}, false, false)},
      {"a sliced, b offset", gemm(wide_a.slice(1, 2, k + 2), wide_w.slice(0, 1).slice(1, 3), bias, false, true)},
      {"a expanded", gemm(random({1, k}, t).expand({m, k}), w, {}, false, true)},
      {"b expanded", gemm(a, random({1, k}, t).expand({n, k}), {}, false, true)},
  };
}

const std::vector<std::string> kKeys = {"aten", "onednn", "vec_gemv", "vec_dot", "vec_outer"};

class Gemm : public testing::TestWithParam<Variant> {};

TEST_P(Gemm, EqualsTheProductOrRefuses) {
  const auto [arch, dtype] = GetParam();
  const std::tuple<int, int, int> shapes[] = {{1, 7, 1},   {1, 33, 63},   {1, 5, 576},   {2, 9, 100},   {3, 16, 31},
                                              {4, 1, 64},  {4, 200, 129}, {5, 8, 16},    {17, 41, 33},  {42, 24, 70},
                                              {65, 9, 40}, {39, 8, 400},  {130, 19, 17}, {150, 9, 1500}};
  for (const std::string& key : kKeys) {
    const Implementation candidate = implementation("GEMMFwdOp", key, arch);
    int served = 0;
    for (const auto& [m, n, k] : shapes) {
      for (const auto& [name, row] : layouts(m, n, k, dtype)) {
        SCOPED_TRACE(c10::str(key, " ", m, "x", n, "x", k, " ", name));
        if (!refusal_of(candidate, spec_of(row, arch))) {
          ++served;
          expect_close(run(candidate, row, arch), exact(row), std::sqrt(k));
        }
      }
    }
    EXPECT_TRUE(served > 0 || key != "aten") << "the general implementation served nothing";
  }
}

TEST_P(Gemm, ServesEveryCountOfRowsAndColumnsUpToATile) {
  const auto [arch, dtype] = GetParam();
  const at::Tensor a = random({70, 38}, dtype), w = random({10, 38}, dtype), bias = random({10}, dtype);
  for (const char* key : {"vec_gemv", "vec_dot", "vec_outer"}) {
    const Implementation candidate = implementation("GEMMFwdOp", key, arch);
    for (std::int64_t m = 1; m <= 70; ++m) {
      for (std::int64_t n = 1; n <= 10; ++n) {
        const KernelCase row = gemm(a.slice(0, 0, m), w.slice(0, 0, n), bias.slice(0, 0, n), false, true);
        if (!refusal_of(candidate, spec_of(row, arch))) {
          SCOPED_TRACE(c10::str(key, " ", m, "x", n));
          expect_close(run(candidate, row, arch), exact(row), 7);
        }
      }
    }
  }
}

TEST_P(Gemm, WritesIntoAStridedBuffer) {
  const auto [arch, dtype] = GetParam();
  for (std::int64_t m : {2, 9, 70}) {
    const KernelCase row = gemm(random({m, 20}, dtype), random({6, 20}, dtype), {}, false, true);
    for (const std::string& key : kKeys) {
      const Implementation candidate = implementation("GEMMFwdOp", key, arch);
      if (!refusal_of(candidate, spec_of(row, arch))) {
        const at::Tensor buffer = at::zeros({6, m}, dtype);
        run(candidate, row, arch, buffer.t());
        expect_close(buffer.t(), exact(row), 4);
      }
    }
  }
}

TEST_P(Gemm, GivesTheBiasWhereKIsZeroAndNothingWhereAnExtentIs) {
  const auto [arch, dtype] = GetParam();
  const std::tuple<int, int, int> shapes[] = {{0, 4, 3}, {2, 0, 3}, {2, 4, 0}, {9, 4, 0}, {9, 0, 4}, {90, 4, 0}};
  for (const std::string& key : kKeys) {
    const Implementation candidate = implementation("GEMMFwdOp", key, arch);
    for (const auto& [m, n, k] : shapes) {
      for (const at::Tensor& bias : {at::Tensor(), at::ones({n}, dtype)}) {
        const KernelCase row = gemm(random({m, k}, dtype), random({n, k}, dtype), bias, false, true);
        if (!refusal_of(candidate, spec_of(row, arch))) {
          SCOPED_TRACE(c10::str(key, " ", m, "x", n, "x", k));
          expect_close(run(candidate, row, arch), exact(row));
        }
      }
    }
  }
}

TEST_P(Gemm, KeepsNaNAndInfinity) {
  const auto [arch, dtype] = GetParam();
  for (std::int64_t m : {1, 3, 8, 42}) {
    const at::Tensor a = at::ones({m, 70}, dtype), w = at::ones({5, 70}, dtype);
    a[0][69] = INFINITY;
    a[m - 1][0] = NAN;
    w[1][3] = NAN;
    w[2][69] = -1;
    const KernelCase row = gemm(a, w, {}, false, true);
    for (const std::string& key : kKeys) {
      const Implementation candidate = implementation("GEMMFwdOp", key, arch);
      if (!refusal_of(candidate, spec_of(row, arch))) {
        expect_close(run(candidate, row, arch), exact(row));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Gemm, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}), variant_name);

TEST(GemmReordered, EqualsTheProductWithTheWeightItWasMadeFrom) {
  const auto reorder = c10::Dispatcher::singleton()
                           .findSchemaOrThrow("mkldnn::_reorder_linear_weight", "")
                           .typed<at::Tensor(const at::Tensor&, std::optional<std::int64_t>)>();
  for (at::ScalarType t : {at::kFloat, at::kBFloat16}) {
    for (std::int64_t m : {1, 9, 42}) {
      const at::Tensor a = random({m, 70}, t), w = random({24, 70}, t), bias = random({24}, t);
      const KernelCase row = gemm(a, reorder.call(w, m), bias, false, true);
      const CallSpec spec = spec_of(row, processor_arch());
      const Implementation candidate = implementation("GEMMFwdOp", "onednn_reordered", processor_arch());
      if (!refusal_of(candidate, spec)) {
        expect_close(run(candidate, row, processor_arch()), exact(gemm(a, w, bias, false, true)), 8);
      }
      for (const char* key : {"aten", "onednn", "vec_gemv"}) {
        expect_says(refusal_of(implementation("GEMMFwdOp", key, processor_arch()), spec), "reordered");
      }
    }
  }
}

TEST(GemmSelection, NoTwoWithoutPreferenceServeALinearLayer) {
  for (std::int64_t m = 1; m < 300; ++m) {
    const KernelCase row = gemm(at::ones({m, 64}), at::ones({64, 64}).t(), {}, false, false);
    const CallSpec spec = spec_of(row, 2);
    const bool gemv = !refusal_of(implementation("GEMMFwdOp", "vec_gemv", 0), spec);
    const bool onednn = !refusal_of(implementation("GEMMFwdOp", "onednn", 0), spec);
    const bool dot = !refusal_of(implementation("GEMMFwdOp", "vec_dot", 0), spec);
    EXPECT_NE(onednn, gemv) << "M = " << m;
    const bool outer = !refusal_of(implementation("GEMMFwdOp", "vec_outer", 0), spec);
    EXPECT_FALSE(dot && gemv) << "M = " << m;
    EXPECT_FALSE(outer && gemv) << "M = " << m;
  }
}

TEST(GemmSelection, RefusalsNameTheLimitAndTheValue) {
  const auto said = [](const char* key, at::Tensor a, at::Tensor b) {
    return refusal_of(implementation("GEMMFwdOp", key, 0), spec_of(gemm(a, b, {}, false, false), 0));
  };
  expect_says(said("vec_gemv", at::ones({50, 8}), at::ones({3, 8}).t()), "M is 50");
  expect_says(said("vec_gemv", at::ones({1, 8}), at::ones({8, 3})), "stride 3 along K");
  expect_says(said("vec_outer", at::ones({6, 8}), at::ones({3, 8}).t()),
              "M is 6; the outer product kernel serves 8 to");
  expect_says(said("vec_outer", at::ones({64, 8}, at::kHalf), at::ones({3, 8}, at::kHalf).t()), "serves 65 to");
  expect_says(said("vec_outer", at::ones({300, 8}), at::ones({3, 8}).t()), "M is 300");
  expect_says(said("vec_outer", at::ones({50, 8}), at::ones({8, 3})), "stride 3 along K");
  expect_says(said("vec_outer", at::ones({50, 8}, at::kBFloat16), at::ones({3, 8}, at::kBFloat16).t()), "AVX512-BF16");
  expect_says(said("onednn", at::ones({1, 8}), at::ones({3, 8}).t()), "M is 1");
  expect_says(said("onednn", at::ones({50, 8}, at::kBFloat16), at::ones({3, 8}, at::kBFloat16).t()), "AVX-512");
}

TEST(AtenOriginalGuard, IsActiveInsideAndNests) {
  EXPECT_FALSE(AtenOriginal::active());
  {
    AtenOriginal outer;
    { AtenOriginal inner; }
    EXPECT_TRUE(AtenOriginal::active());
  }
  EXPECT_FALSE(AtenOriginal::active());
}

}  // namespace
}  // namespace opyard::test
