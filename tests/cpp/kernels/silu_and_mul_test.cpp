// Every implementation of SiLUAndMulFwdOp against the definition in float64, and against eager torch's rounding.
#include <kernels/kernel_case.h>

namespace opyard::test {
namespace {

KernelCase activation(at::Tensor input) {
  return {"SiLUAndMulFwdOp", {{"input", input}}, {}, "output", input.scalar_type(), {input.size(0), input.size(1) / 2}};
}

class SiluAndMul : public testing::TestWithParam<Variant> {};

TEST_P(SiluAndMul, EqualsTheDefinition) {
  const auto [arch, t] = GetParam();
  at::Tensor special = random({2, 80}, t);
  special.slice(1, 0, 4) = at::tensor({INFINITY, -INFINITY, NAN, -200.0f}).to(t);
  const std::vector<at::Tensor> inputs = {random({1, 3072}, t),
                                          random({7, 62}, t),
                                          random({3, 2}, t),
                                          random({40, 3072}, t),
                                          special,
                                          random({4, 100}, t).slice(1, 3, 97),
                                          random({1, 40}, t).expand({5, 40}),
                                          random({40, 6}, t).t(),
                                          random({0, 8}, t),
                                          random({3, 0}, t),
                                          random({5, 4000}, t).mul(10)};
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("SiLUAndMulFwdOp", key, arch);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const KernelCase row = activation(inputs[i]);
      if (!refusal_of(candidate, spec_of(row, arch))) {
        SCOPED_TRACE(c10::str(key, " row ", i));
        const std::int64_t width = row.sizes[1];
        const at::Tensor wide = inputs[i].to(at::kDouble);
        expect_close(run(candidate, row, arch), at::silu(wide.narrow(1, 0, width)) * wide.narrow(1, width, width), 2);
      }
    }
  }
}

TEST_P(SiluAndMul, RoundsAsEagerTorch) {
  const auto [arch, t] = GetParam();
  const Implementation candidate = implementation("SiLUAndMulFwdOp", "vec", arch);
  const KernelCase row = activation(random({9, 2000}, t));
  if (!refusal_of(candidate, spec_of(row, arch))) {
    const at::Tensor& input = row.inputs[0].second;
    const at::Tensor eager = at::silu(input.narrow(1, 0, 1000)) * input.narrow(1, 1000, 1000);
    const at::Tensor ours = run(candidate, row, arch);
    const double equal = (ours == eager).to(at::kDouble).mean().item<double>();
    EXPECT_GT(equal, t == at::kFloat ? 0.9 : 0.998);  // exp of one instruction set is not that of another
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SiluAndMul, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}),
                         variant_name);

}  // namespace
}  // namespace opyard::test
