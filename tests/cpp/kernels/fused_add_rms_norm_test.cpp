// Every implementation of FusedAddRMSNormFwdOp against the definition in float64.
#include <kernels/kernel_case.h>

#include <array>

namespace opyard::test {
namespace {

constexpr double kEps = 1e-6;

KernelCase fused_case(at::Tensor input, at::Tensor residual, at::Tensor weight) {
  return {"FusedAddRMSNormFwdOp", {{"input", input}, {"residual", residual}, {"weight", weight}},
          {{"eps", kEps}},        "output",
          input.scalar_type(),    input.sizes().vec()};
}

std::array<at::Tensor, 2> run_both(const Implementation& candidate, const KernelCase& row, int arch,
                                   std::array<at::Tensor, 2> outputs = {}) {
  const CallSpec spec = spec_of(row, arch);
  std::vector<const at::Tensor*> inputs;
  for (const auto& [name, tensor] : row.inputs) {
    inputs.push_back(&tensor);
  }
  const TensorFacts facts[] = {spec.outputs()[0].second, spec.outputs()[0].second};
  KernelCall call(inputs.data(), outputs.data(), facts);
  candidate.entry_for(spec).build()->forward(call);
  return outputs;
}

void expect_right(const std::array<at::Tensor, 2>& actual, const KernelCase& row) {
  const at::Tensor sum = row.inputs[0].second.to(at::kDouble) + row.inputs[1].second.to(at::kDouble);
  const at::Tensor scale = sum.square().mean(-1, /*keepdim=*/true).add(kEps).rsqrt();
  expect_close(actual[0], sum * scale * row.inputs[2].second.to(at::kDouble), 2);
  expect_close(actual[1], sum);
}

class FusedAddRmsNorm : public testing::TestWithParam<Variant> {};

TEST_P(FusedAddRmsNorm, EqualsTheDefinition) {
  const auto [arch, t] = GetParam();
  const std::vector<KernelCase> rows = {
      fused_case(random({3, 576}, t), random({3, 576}, t), random({576}, t)),
      fused_case(random({2, 3, 37}, t), random({2, 3, 37}, t), random({37}, t)),
      fused_case(random({5, 1}, t), random({5, 1}, t), random({1}, t)),
      fused_case(random({7}, t), random({7}, t), random({7}, t)),
      fused_case(random({4, 80}, t).slice(1, 8, 75), random({67, 4}, t).t(), random({67}, t)),
      fused_case(random({1, 50}, t).expand({4, 50}), random({2, 4, 50}, t)[1], random({50}, t)),
      fused_case(random({3, 2, 40}, t).transpose(0, 1), random({2, 3, 40}, t), random({40}, t)),
      fused_case(random({90, 9000}, t), random({90, 9000}, t), random({9000}, t)),
  };
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("FusedAddRMSNormFwdOp", key, arch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::string(key) == "aten" || !refusal_of(candidate, spec_of(rows[i], arch))) {
        SCOPED_TRACE(c10::str(key, " row ", i));
        expect_right(run_both(candidate, rows[i], arch), rows[i]);
      }
    }
  }
}

TEST_P(FusedAddRmsNorm, TheNormIsOfTheSumBeforeItIsRounded) {
  const auto [arch, t] = GetParam();
  // In half precision the sum rounds to one number for the whole row.
  const at::Tensor input = at::full({1, 512}, 256.0).to(t), residual = at::linspace(0, 0.1, 512).view({1, 512}).to(t);
  const KernelCase row = fused_case(input, residual, at::ones({512}, t));
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("FusedAddRMSNormFwdOp", key, arch);
    if (std::string(key) == "aten" || !refusal_of(candidate, spec_of(row, arch))) {
      expect_right(run_both(candidate, row, arch), row);
    }
  }
}

TEST_P(FusedAddRmsNorm, WritesIntoStridedBuffers) {
  const auto [arch, t] = GetParam();
  const KernelCase row = fused_case(random({3, 40}, t), random({3, 40}, t), random({40}, t));
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("FusedAddRMSNormFwdOp", key, arch);
    if (std::string(key) == "aten" || !refusal_of(candidate, spec_of(row, arch))) {
      const at::Tensor first = at::zeros({40, 3}, t), second = at::zeros({40, 3}, t);
      run_both(candidate, row, arch, {first.t(), second.t()});
      expect_right({first.t(), second.t()}, row);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, FusedAddRmsNorm, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}),
                         variant_name);

}  // namespace
}  // namespace opyard::test
