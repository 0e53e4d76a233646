// Both implementations of the rotations by row number against the definition in float64.
#include <kernels/kernel_case.h>

namespace opyard::test {
namespace {

KernelCase rope_case(at::Tensor x, const char* layout = "neox") {
  return {"RoPEFwdOp",
          {{"x", x}},
          {{"rope_layout", layout}, {"input_layout", x.dim() == 4 ? "2d" : "1d"}, {"base", 10000.0}},
          "output",
          x.scalar_type(),
          x.sizes().vec()};
}

at::Tensor exact(const KernelCase& row) {
  const at::Tensor x = row.inputs[0].second.to(at::kDouble);
  const bool batched = x.dim() == 4, neighbours = row.params[0].second.get<std::string>() == "interleaved";
  const std::int64_t width = x.size(-1), half = width / 2;
  at::Tensor angles = at::arange(x.size(batched ? 1 : 0), at::kDouble).unsqueeze(1) *
                      at::pow(10000.0, at::arange(half, at::kDouble) * (-2.0 / static_cast<double>(width)));
  angles = batched ? angles.unsqueeze(1) : angles;
  const at::Tensor first = neighbours ? x.slice(-1, 0, width, 2) : x.narrow(-1, 0, half);
  const at::Tensor second = neighbours ? x.slice(-1, 1, width, 2) : x.narrow(-1, half, half);
  const at::Tensor a = first * angles.cos() - second * angles.sin(), b = second * angles.cos() + first * angles.sin();
  return neighbours ? at::stack({a, b}, -1).flatten(-2) : at::cat({a, b}, -1);
}

class RopeFamily : public testing::TestWithParam<Variant> {};

TEST_P(RopeFamily, EqualsTheDefinition) {
  const auto [arch, t] = GetParam();
  const std::vector<KernelCase> rows = {
      rope_case(random({2, 5, 3, 64}, t)),
      rope_case(random({17, 128}, t)),
      rope_case(random({300, 6}, t)),
      rope_case(random({3, 2}, t)),
      rope_case(random({2, 3, 5, 64}, t).transpose(1, 2)),
      rope_case(random({1, 9, 1, 40}, t).expand({3, 9, 4, 40})),
      rope_case(random({9, 80}, t).slice(1, 8, 72)),
      rope_case(random({32, 9}, t).t()),
      rope_case(random({1, 1000, 9, 64}, t)),
      rope_case(random({2, 5, 3, 64}, t), "interleaved"),
      rope_case(random({9, 40}, t).slice(1, 4, 36), "interleaved"),
  };
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RoPEFwdOp", key, arch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::string(key) == "aten" || !refusal_of(candidate, spec_of(rows[i], arch))) {
        SCOPED_TRACE(c10::str(key, " row ", i));
        expect_close(run(candidate, rows[i], arch), exact(rows[i]), 2);
      }
    }
  }
}

TEST_P(RopeFamily, WritesIntoAStridedBuffer) {
  const auto [arch, t] = GetParam();
  const KernelCase row = rope_case(random({5, 32}, t));
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RoPEFwdOp", key, arch);
    if (std::string(key) == "aten" || !refusal_of(candidate, spec_of(row, arch))) {
      const at::Tensor buffer = at::zeros({32, 5}, t);
      run(candidate, row, arch, buffer.t());
      expect_close(buffer.t(), exact(row), 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, RopeFamily, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}),
                         variant_name);

TEST(RopeSelection, RefusalsNameTheLimit) {
  const Implementation vec = implementation("RoPEFwdOp", "vec", 0);
  expect_says(refusal_of(vec, spec_of(rope_case(at::ones({4, 8}), "interleaved"), 0)), "neighbouring columns");
  expect_says(refusal_of(vec, spec_of(rope_case(at::ones({8, 4}).t()), 0)), "stride 4");
}

}  // namespace
}  // namespace opyard::test
