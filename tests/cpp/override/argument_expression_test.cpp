// What a condition in the expression language says of boxed arguments, against Python's meaning of the same text.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>
#include <override/argument_expression.h>

namespace opyard {
namespace {

const c10::FunctionSchema& schema() {
  // native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps)
  return c10::Dispatcher::singleton().findSchemaOrThrow("aten::native_layer_norm", "").schema();
}

std::vector<c10::IValue> arguments() {
  return {at::ones({4, 6}), std::vector<std::int64_t>{6}, at::ones({6}, at::kHalf), c10::IValue(), 0.5};
}

struct Row {
  std::string name, text;
  bool holds;
};

class Expressions : public testing::TestWithParam<Row> {};

TEST_P(Expressions, MeanWhatPythonMeans) {
  EXPECT_EQ(ArgumentExpression(GetParam().text, schema()).holds(arguments()), GetParam().holds);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Expressions,
    testing::Values(
        Row{"dtype", "input.dtype == float32", true}, Row{"other_dtype", "weight.dtype != float16", false},
        Row{"dtype_in", "input.dtype in (float16, float32)", true}, Row{"ndim", "1 < input.ndim <= 2", true},
        Row{"shape", "input.shape == (4, 6)", true}, Row{"last_size", "input.shape[-1] % 4 == 0", false},
        Row{"list", "normalized_shape[0] == 6", true}, Row{"length", "len(normalized_shape) == input.ndim - 1", true},
        Row{"absent", "not present(bias) and present(weight)", true},
        Row{"guarded", "present(bias) and bias.ndim == 1", false}, Row{"number", "eps < 1 and eps > 0.25", true},
        Row{"none", "bias == None", true}, Row{"numel", "numel(input) // 5 == 4", true},
        Row{"contiguous", "contiguous(input)", true}, Row{"floor", "-7 // 2 == -4 and -7 % 3 == 2", true},
        Row{"either", "eps == 2 or input.ndim == 2", true}, Row{"chosen", "True if input.ndim == 3 else False", false},
        Row{"not_in", "input.ndim not in (2, 3)", false}, Row{"in_sizes", "6 in input.shape", true}),
    [](const auto& row) { return row.param.name; });

TEST(Expression, OfAnUnknownNameIsRefused) {
  EXPECT_THROW(ArgumentExpression("self.ndim == 2", schema()), ContractError);
  EXPECT_THROW(ArgumentExpression("input.strides == (1, 2)", schema()), ContractError);
  EXPECT_THROW(ArgumentExpression("max(eps, 1) == 2", schema()), ContractError);
  EXPECT_THROW(ArgumentExpression("input.ndim ==", schema()), ManifestError);
}

TEST(Expression, WithoutATruthRaisesAndNamesItself) {
  for (const char* text : {"input.shape[5] == 1", "bias.ndim == 1", "eps // 0 == 1", "input.dtype < float32"}) {
    try {
      ArgumentExpression(text, schema()).holds(arguments());
      ADD_FAILURE() << text;
    } catch (const ContractError& error) {
      EXPECT_NE(error.facts().argument.find(text), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace opyard
