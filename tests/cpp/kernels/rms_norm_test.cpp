// Every implementation of RMSNormFwdOp against the definition in float64.
#include <kernels/kernel_case.h>

namespace opyard::test {
namespace {

KernelCase norm_case(at::Tensor x, at::Tensor weight, std::vector<std::int64_t> shape, Value eps) {
  Sequence dims(shape.begin(), shape.end());
  return {"RMSNormFwdOp",
          {{"x", x}, {"weight", weight}},
          {{"normalized_shape", dims}, {"eps", eps}},
          "output",
          x.scalar_type(),
          x.sizes().vec()};
}

at::Tensor exact(const KernelCase& row, double eps) {
  const at::Tensor x = row.inputs[0].second.to(at::kDouble);
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < row.params[0].second.get<Sequence>().size(); ++i) {
    dims.push_back(-1 - static_cast<std::int64_t>(i));
  }
  const at::Tensor y = x * x.square().mean(dims, /*keepdim=*/true).add(eps).rsqrt();
  return row.inputs[1].second.defined() ? y * row.inputs[1].second.to(at::kDouble) : y;
}

class RmsNorm : public testing::TestWithParam<Variant> {};

TEST_P(RmsNorm, EqualsTheDefinition) {
  const auto [arch, t] = GetParam();
  const std::vector<KernelCase> rows = {
      norm_case(random({3, 576}, t), random({576}, t), {576}, 1e-5),
      norm_case(random({3, 576}, t), {}, {576}, 1e-5),
      norm_case(random({1, 1, 33}, t), random({33}, t), {33}, 1e-6),
      norm_case(random({5, 1}, t), random({1}, t), {1}, 1e-6),
      norm_case(random({7}, t), {}, {7}, 1.0),
      norm_case(random({2, 3, 4, 5}, t), random({4, 5}, t), {4, 5}, 1e-6),
      norm_case(random({4, 80}, t).slice(1, 8, 75), random({67}, t), {67}, 1e-6),
      norm_case(random({2, 6, 3, 40}, t).transpose(1, 2), random({40}, t), {40}, 1e-6),
      norm_case(random({1, 50}, t).expand({4, 50}), random({50}, t), {50}, 1e-6),
      norm_case(random({50, 4}, t).t(), random({50}, t), {50}, 1e-6),
      norm_case(random({100, 300}, t), random({300}, t), {300}, 1e-6),
      norm_case(random({600}, t).slice(0, 0, 600, 2).unsqueeze(0), random({1}, t).expand({300}), {300}, 1e-6),
      norm_case(at::zeros({2, 9}, t), {}, {9}, 1e-6),
      norm_case(random({0, 9}, t), {}, {9}, 1e-6),
      norm_case(random({3, 0}, t), {}, {0}, 1e-6),
  };
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RMSNormFwdOp", key, arch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!refusal_of(candidate, spec_of(rows[i], arch))) {
        SCOPED_TRACE(c10::str(key, " row ", i));
        expect_close(run(candidate, rows[i], arch), exact(rows[i], rows[i].params[1].second.get<double>()), 2);
      }
    }
  }
}

TEST_P(RmsNorm, WithoutEpsTakesTorchsDefault) {
  const auto [arch, t] = GetParam();
  const KernelCase row = norm_case(at::randn({4, 64}).mul(1e-4).to(t), {}, {64}, Value());
  const at::Tensor expected = at::rms_norm(row.inputs[0].second, {64});
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RMSNormFwdOp", key, arch);
    if (!refusal_of(candidate, spec_of(row, arch))) {
      expect_close(run(candidate, row, arch), expected.to(at::kDouble), 2);
    }
  }
}

TEST_P(RmsNorm, LargeRowsDoNotOverflowAndNaNStaysInItsRow) {
  const auto [arch, t] = GetParam();
  at::Tensor x = at::full({2, 3000}, 3000).to(t);
  x[1][2999] = NAN;
  const KernelCase row = norm_case(x, {}, {3000}, 1e-6);
  const Implementation candidate = implementation("RMSNormFwdOp", "vec", arch);
  if (!refusal_of(candidate, spec_of(row, arch))) {
    const at::Tensor y = run(candidate, row, arch).to(at::kDouble);
    expect_close(y[0].to(t), at::ones({3000}, at::kDouble));
    EXPECT_TRUE(y[1].isnan().all().item<bool>());
  }
}

TEST_P(RmsNorm, WritesIntoAStridedBuffer) {
  const auto [arch, t] = GetParam();
  const KernelCase row = norm_case(random({3, 40}, t), random({40}, t), {40}, 1e-6);
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RMSNormFwdOp", key, arch);
    if (!refusal_of(candidate, spec_of(row, arch))) {
      const at::Tensor buffer = at::zeros({40, 3}, t);
      run(candidate, row, arch, buffer.t());
      expect_close(buffer.t(), exact(row, 1e-6), 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, RmsNorm, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}), variant_name);

TEST(RmsNormSelection, RefusalsNameTheLimit) {
  const Implementation vec = implementation("RMSNormFwdOp", "vec", 0);
  expect_says(refusal_of(vec, spec_of(norm_case(at::ones({8, 4}).t(), {}, {8}, 1e-6), 0)), "not contiguous");
  expect_says(refusal_of(vec, spec_of(norm_case(at::ones({4, 8}), at::ones({8}, at::kHalf), {8}, 1e-6), 0)), "float16");
}

}  // namespace
}  // namespace opyard::test
