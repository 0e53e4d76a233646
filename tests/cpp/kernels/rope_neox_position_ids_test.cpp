// Every implementation of RoPENeoxPositionIdsFwdOp against a rotation in float64, and transformers' steps exactly.
#include <kernels/kernel_case.h>
#include <opyard/error.h>

namespace opyard::test {
namespace {

KernelCase rope(at::Tensor x, at::Tensor positions, std::int64_t most, Value rotary_dim = Value(),
                double base = 10000) {
  return {"RoPENeoxPositionIdsFwdOp",
          {{"x", x}, {"positions", positions}},
          {{"max_position", most}, {"base", base}, {"rotary_dim", rotary_dim}},
          "output",
          x.scalar_type(),
          x.sizes().vec()};
}

std::int64_t width_of(const KernelCase& row) {
  const Value& width = row.params[2].second;
  return width.is_none() ? row.sizes[2] : width.get<std::int64_t>();
}

/// x times e^(i angle) on the pairs (j, j + width / 2), in the dtype of `x`; `cos` and `sin` are [N, 1, width / 2].
at::Tensor rotated(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, std::int64_t width) {
  const at::Tensor first = x.narrow(2, 0, width / 2), second = x.narrow(2, width / 2, width / 2);
  return at::cat({first * cos - second * sin, second * cos + first * sin, x.narrow(2, width, x.size(2) - width)}, 2);
}

at::Tensor exact(const KernelCase& row) {
  const std::int64_t width = width_of(row);
  const double base = row.params[1].second.get<double>();
  const at::Tensor exponent = at::arange(0, width, 2, at::kDouble) / static_cast<double>(width);
  const at::Tensor angle = row.inputs[1].second.to(at::kDouble).unsqueeze(1) * at::pow(base, -exponent);
  return rotated(row.inputs[0].second.to(at::kDouble), angle.cos().unsqueeze(1), angle.sin().unsqueeze(1), width);
}

at::Tensor places(std::vector<std::int64_t> positions, at::ScalarType dtype = at::kLong) {
  return at::tensor(positions).to(dtype);
}

class Rope : public testing::TestWithParam<Variant> {};

TEST_P(Rope, EqualsTheRotation) {
  const auto [arch, t] = GetParam();
  const std::vector<KernelCase> rows = {
      rope(random({3, 9, 64}, t), places({0, 5, 99}), 100),
      rope(random({3, 3, 64}, t), places({7, 7, 2}, at::kInt), 8),
      rope(random({2, 4, 70}, t), places({1, 3}), 4, 32),
      rope(random({2, 2, 6}, t), places({1, 3}), 4, 2, 500.0),
      rope(random({2, 2, 10}, t), places({1, 3}), 4),
      rope(random({4, 5, 24}, t).transpose(0, 1), places({4, 3, 2, 1, 0}), 5),
      rope(random({4, 5, 40}, t).slice(2, 3, 35), places({4, 3, 2, 1}), 5),
      rope(random({1, 1, 24}, t).expand({3, 2, 24}), places({4, 3, 2}), 5),
      rope(random({24, 2, 3}, t).permute({2, 1, 0}), places({4, 3, 2}), 5),
      rope(random({3, 2, 24}, t), places({4, 9, 3, 9, 2, 9}).slice(0, 0, 6, 2), 5),
      rope(random({2, 2, 24}, t), places({3}).expand({2}), 5),
      rope(random({0, 2, 24}, t), places({}), 5),
      rope(random({2, 0, 24}, t), places({1, 2}), 5),
      rope(random({200, 9, 64}, t), at::arange(200, at::kLong), 200),
  };
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RoPENeoxPositionIdsFwdOp", key, arch);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!refusal_of(candidate, spec_of(rows[i], arch))) {
        SCOPED_TRACE(c10::str(key, " row ", i));
        expect_close(run(candidate, rows[i], arch), exact(rows[i]), 4);
      }
    }
  }
}

TEST_P(Rope, EqualsTransformersStepsBitForBit) {
  const auto [arch, t] = GetParam();
  const KernelCase row = rope(random({50, 3, 64}, t), at::arange(1000, 1050, at::kLong), 2048, Value(), 1e5);
  const at::ScalarType step = t == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor inverse = 1.0 / at::pow(1e5, at::arange(0, 64, 2, at::kLong).to(step) / 64);
  const at::Tensor angle = row.inputs[1].second.to(step).unsqueeze(1) * inverse;
  const at::Tensor expected =
      rotated(row.inputs[0].second, angle.cos().to(t).unsqueeze(1), angle.sin().to(t).unsqueeze(1), 64);
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RoPENeoxPositionIdsFwdOp", key, arch);
    if (!refusal_of(candidate, spec_of(row, arch))) {
      EXPECT_TRUE(at::equal(run(candidate, row, arch), expected)) << key;
    }
  }
}

TEST_P(Rope, RaisesOnAPositionOutsideTheTable) {
  const auto [arch, t] = GetParam();
  for (const char* key : {"aten", "vec"}) {
    const Implementation candidate = implementation("RoPENeoxPositionIdsFwdOp", key, arch);
    for (std::int64_t position : {-1, 5, 1 << 20}) {
      const KernelCase row = rope(random({2, 2, 8}, t), places({1, position}), 5);
      if (!refusal_of(candidate, spec_of(row, arch))) {
        try {
          run(candidate, row, arch);
          FAIL() << key << " took position " << position;
        } catch (const SignatureError& error) {
          EXPECT_EQ(error.facts().argument, "positions");
          EXPECT_EQ(error.facts().got, std::to_string(position));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Rope, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}), variant_name);

}  // namespace
}  // namespace opyard::test
