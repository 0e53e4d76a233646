// Every implementation of BMMFwdOp against the product in float64.
#include <kernels/kernel_case.h>

namespace opyard::test {
namespace {

KernelCase batched(at::Tensor a, at::Tensor b) {
  return {"BMMFwdOp", {{"a", a}, {"b", b}}, {}, "d", a.scalar_type(), {a.size(0), a.size(1), b.size(2)}};
}

class Bmm : public testing::TestWithParam<at::ScalarType> {};

TEST_P(Bmm, EqualsTheProduct) {
  const at::ScalarType t = GetParam();
  const std::vector<KernelCase> rows = {
      batched(random({3, 4, 17}, t), random({3, 17, 5}, t)),
      batched(random({3, 1, 64}, t), random({3, 40, 64}, t).transpose(1, 2)),
      batched(random({4, 3, 17}, t).transpose(0, 1), random({1, 17, 5}, t).expand({3, 17, 5})),
      batched(random({2, 9, 30}, t).slice(2, 3, 20).slice(1, 1), random({2, 17, 9}, t).slice(2, 1, 8)),
      batched(random({0, 4, 3}, t), random({0, 3, 2}, t)),
      batched(random({2, 4, 0}, t), random({2, 0, 2}, t)),
      batched(random({2, 0, 3}, t), random({2, 3, 2}, t)),
      batched(random({1, 1, 33}, t), random({70, 33}, t).t().expand({1, 33, 70})),
      batched(random({5, 6, 65}, t).slice(2, 0, 64), random({5, 130, 64}, t).transpose(1, 2)),
      batched(random({65, 3, 2}, t).permute({1, 2, 0}),
              random({3, 65, 600}, t).transpose(1, 2).contiguous().transpose(1, 2)),
      batched(random({2, 2, 0}, t), random({2, 3, 0}, t).transpose(1, 2)),
  };
  for (const char* key : {"aten", "widened", "vec_gemv"}) {
    const Implementation candidate = implementation("BMMFwdOp", key, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!refusal_of(candidate, spec_of(rows[i], 0))) {
        SCOPED_TRACE(c10::str(key, " row ", i));
        const at::Tensor expected =
            at::bmm(rows[i].inputs[0].second.to(at::kDouble), rows[i].inputs[1].second.to(at::kDouble));
        expect_close(run(candidate, rows[i], 0), expected, 8);
        const at::Tensor buffer = at::zeros({expected.size(0), expected.size(2), expected.size(1)}, t);
        run(candidate, rows[i], 0, buffer.transpose(1, 2));
        expect_close(buffer.transpose(1, 2), expected, 8);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Bmm, testing::Values(at::kFloat, at::kBFloat16, at::kHalf, at::kDouble),
                         [](const auto& info) { return std::string(c10::toString(info.param)); });

}  // namespace
}  // namespace opyard::test
