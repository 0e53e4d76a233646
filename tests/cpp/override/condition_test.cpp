// Which tensors a condition's limits admit, and how a condition that cannot work is refused.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <override/condition.h>

namespace opyard {
namespace {

const c10::FunctionSchema& mm_schema() {
  return c10::Dispatcher::singleton().findSchemaOrThrow("aten::mm", "").schema();
}

struct Row {
  std::string name;
  TensorLimits limits;
  at::Tensor self;
  std::string failing;  // empty: holds
};

class Limits : public testing::TestWithParam<Row> {};

TEST_P(Limits, AdmitWhatTheySay) {
  TensorLimits limits = GetParam().limits;
  limits.argument = "self";
  const ConditionProgram program({{limits}}, mm_schema());
  const at::Tensor other = at::ones({1, 1});
  const at::Tensor* const tensors[] = {&GetParam().self, &other};
  const std::uint32_t failing = program.first_failing(tensors);
  EXPECT_EQ(failing == 0 ? "" : program.limit_text(failing), GetParam().failing);
}

at::Tensor expanded() { return at::ones({1, 4}).expand({3, 4}); }

INSTANTIATE_TEST_SUITE_P(
    Rows, Limits,
    testing::Values(Row{"no_limit_holds", {}, at::ones({2, 3}), ""},
                    Row{"undefined_is_absent", {}, at::Tensor(), "self is present"},
                    Row{"dtype_in_set", {.dtypes = {at::kFloat, at::kBFloat16}}, at::ones({2}, at::kBFloat16), ""},
                    Row{"dtype_not_in_set",
                        {.dtypes = {at::kFloat, at::kHalf}},
                        at::ones({2}, at::kDouble),
                        "self.dtype in {Float, Half}"},
                    Row{"rank_equal", {.ranks = {2}}, at::ones({2, 3}), ""},
                    Row{"rank_zero_differs", {.ranks = {2}}, at::ones({}), "self.dim() == 2"},
                    Row{"size_at_least", {.sizes = {{.dim = 0, .min = 2}}}, at::ones({2, 3}), ""},
                    Row{"size_below_least", {.sizes = {{.dim = 0, .min = 3}}}, at::ones({2, 3}), "self.size(0) >= 3"},
                    Row{"size_at_most", {.sizes = {{.dim = -1, .max = 3}}}, at::ones({2, 3}), ""},
                    Row{"size_above_most", {.sizes = {{.dim = -1, .max = 2}}}, at::ones({2, 3}), "self.size(-1) <= 2"},
                    Row{"third_size_limit",
                        {.sizes = {{0, 1, 9}, {1, 1, 9}, {-2, 5, 9}}},
                        at::ones({2, 3}),
                        "5 <= self.size(-2) <= 9"},
                    Row{"dim_beyond_rank", {.sizes = {{.dim = 2}}}, at::ones({2, 3}), "self.size(2) >= 0"},
                    Row{"dim_before_rank", {.sizes = {{.dim = -3}}}, at::ones({2, 3}), "self.size(-3) >= 0"},
                    Row{"elements_within", {.min_elements = 6, .max_elements = 6}, at::ones({2, 3}), ""},
                    Row{"empty_has_too_few_elements", {.min_elements = 1}, at::ones({0, 3}), "self.numel() >= 1"},
                    Row{"elements_above", {.max_elements = 5}, at::ones({2, 3}), "self.numel() <= 5"},
                    Row{"contiguous", {.strides = StrideLimit::kContiguous}, at::ones({2, 3}), ""},
                    Row{"transposed_is_not_contiguous",
                        {.strides = StrideLimit::kContiguous},
                        at::ones({2, 3}).t(),
                        "self is contiguous"},
                    Row{"transposed_is_columns", {.strides = StrideLimit::kRowsOrColumns}, at::ones({2, 3}).t(), ""},
                    Row{"expanded_is_rows", {.strides = StrideLimit::kRowsOrColumns}, expanded(), ""},
                    Row{"stepped_is_neither",
                        {.strides = StrideLimit::kRowsOrColumns},
                        at::ones({4, 6}).slice(1, 0, 6, 2),
                        "self has stride 1 in one of its last two dims"},
                    Row{"vector_is_no_matrix",
                        {.strides = StrideLimit::kRowsOrColumns},
                        at::ones({4}),
                        "self has stride 1 in one of its last two dims"}),
    [](const auto& row) { return row.param.name; });

TEST(Condition, FailsAtTheFirstLimitOfALaterTensor) {
  const ConditionProgram program({{{.argument = "self"}, {.argument = "mat2", .ranks = {2}}}}, mm_schema());
  const at::Tensor self = at::ones({2, 2});
  const at::Tensor mat2 = at::ones({2});
  const at::Tensor* const tensors[] = {&self, &mat2};
  EXPECT_EQ(program.limit_text(program.first_failing(tensors)), "mat2.dim() == 2");
}

TEST(Condition, IsWrittenAsItsLimits) {
  const ConditionProgram program({{{.argument = "self", .dtypes = {at::kFloat}}, {.argument = "mat2", .ranks = {2}}}},
                                 mm_schema());
  EXPECT_EQ(program.text(), "self.dtype in {Float} and mat2.dim() == 2");
  EXPECT_EQ(ConditionProgram({}, mm_schema()).text(), "always");
}

struct BadRow {
  std::string name;
  TensorLimits limits;
  std::string got;
};

class BadLimits : public testing::TestWithParam<BadRow> {};

TEST_P(BadLimits, AreRefusedWithArgumentAndValue) {
  const c10::FunctionSchema& schema = c10::Dispatcher::singleton().findSchemaOrThrow("aten::addmm", "").schema();
  try {
    ConditionProgram({{GetParam().limits}}, schema);
    FAIL() << "accepted";
  } catch (const ContractError& error) {
    EXPECT_EQ(error.facts().op, "aten::addmm");
    EXPECT_EQ(error.facts().argument, GetParam().limits.argument);
    EXPECT_EQ(error.facts().got, GetParam().got);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadLimits,
    testing::Values(
        BadRow{"unknown_argument", {.argument = "weight"}, "no such argument"},
        BadRow{"scalar_argument", {.argument = "beta"}, "an argument that is no tensor"},
        BadRow{"size_range", {.argument = "mat1", .sizes = {{0, 3, 2}}}, "dim 0, min 3, max 2"},
        BadRow{"dim_outside_rank", {.argument = "mat1", .ranks = {2}, .sizes = {{2, 0, 1}}}, "dim 2, min 0, max 1"},
        BadRow{"element_range", {.argument = "mat1", .min_elements = 4, .max_elements = 3}, "4 <= elements <= 3"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace opyard
