// Values of expressions; the expected ones are Python's, or follow from the definition of the primitive.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "entry.h"

namespace opyard {
namespace {

/// The entry has parameters of several kinds to read; `r` is the expression.
std::shared_ptr<const Signature> reading(const std::string& expression) {
  return signature_of(
      "{params: {n: {type: int, default: 7}, b: {type: bool, default: true}, x: {type: float, default: 2.5}, "
      "s: {type: 'list[int]', default: [3, 1, 2]}, e: {type: 'list[int]', default: []}, "
      "o: {type: 'int | None', default: null}, p: {type: 'int | None', default: 4}, "
      "m: {type: \"'row' | 'col'\", default: row}, t: {type: torch.dtype, default: int32}, "
      "u: {type: \"int | tuple[int, int] | 'same'\", default: [5, 6]}}, let: {r: \"" +
      expression + "\"}}");
}

std::string value_of(const std::string& expression) {
  const Construction construction = reading(expression)->construct({});
  return construction.indices.empty() ? "" : to_text(construction.indices.at(0).second);
}

struct ValueCase {
  const char* expression;
  const char* value;
};

class ExpressionValue : public testing::TestWithParam<ValueCase> {};

TEST_P(ExpressionValue, is_right) { EXPECT_EQ(value_of(GetParam().expression), GetParam().value); }

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, ExpressionValue,
    testing::Values(ValueCase{"n // -2", "-4"}, ValueCase{"-n // 2", "-4"}, ValueCase{"-n % 3", "2"},
                    ValueCase{"n % -3", "-2"}, ValueCase{"2 + 3 * n - 1", "22"}, ValueCase{"-(n - 10)", "3"},
                    ValueCase{"x * 2", "5.0"}, ValueCase{"x // 1", "2.0"}, ValueCase{"-x % 2", "1.5"},
                    ValueCase{"n == 7.0", "True"}, ValueCase{"9007199254740993 == 9007199254740992.0", "False"},
                    ValueCase{"9007199254740993 > 9007199254740992.0", "True"}, ValueCase{"1 < n < 8 < 9", "True"},
                    ValueCase{"1 < n > 8", "False"}, ValueCase{"n < inf", "True"}));

INSTANTIATE_TEST_SUITE_P(
    Logic, ExpressionValue,
    testing::Values(ValueCase{"n == 0 or 10 // n == 1", "True"}, ValueCase{"n == 7 or 1 // 0 == 1", "True"},
                    ValueCase{"n == 0 and 1 // 0 == 1", "False"}, ValueCase{"1 if b else 2", "1"},
                    ValueCase{"o.value if present(o) else n", "7"}, ValueCase{"p.value + 1 if present(p) else n", "5"},
                    ValueCase{"m == 'row'", "True"}, ValueCase{"m in ('col', 'row')", "True"},
                    ValueCase{"m not in ('col',)", "True"}, ValueCase{"t == 'int32'", "True"},
                    ValueCase{"t in ('int64', 'bool')", "False"}, ValueCase{"not b or n > 3", "True"},
                    ValueCase{"0 if u == 'same' else per_axis(u, 1, 2)", "6"}));

INSTANTIATE_TEST_SUITE_P(
    Sequences, ExpressionValue,
    testing::Values(ValueCase{"s[-1]", "2"}, ValueCase{"s[::-1]", "[2, 1, 3]"}, ValueCase{"s[1:]", "[1, 2]"},
                    ValueCase{"s[-100:2]", "[3, 1]"}, ValueCase{"s[5:]", "[]"}, ValueCase{"s == (3, 1, 2)", "True"},
                    ValueCase{"s < (3, 2)", "True"}, ValueCase{"(3, 1) < s", "True"}, ValueCase{"2 in s", "True"},
                    ValueCase{"len(s) + len(e)", "3"}, ValueCase{"prod(s)", "6"}, ValueCase{"prod(e)", "1"},
                    ValueCase{"sum(e)", "0"}, ValueCase{"sum(i * i for i in s)", "14"}, ValueCase{"max(s)", "3"},
                    ValueCase{"min(e, default=n)", "7"}, ValueCase{"all(i > 1 for i in s)", "False"},
                    ValueCase{"all(i > 1 for i in e)", "True"}));

INSTANTIATE_TEST_SUITE_P(
    Primitives, ExpressionValue,
    testing::Values(
        ValueCase{"broadcast((3, 1), (2, 1, 4))", "[2, 3, 4]"}, ValueCase{"broadcast((0,), (1,))", "[0]"},
        ValueCase{"broadcast()", "[]"}, ValueCase{"reduced(s, 1, False, 'full')", "[3, 2]"},
        ValueCase{"reduced(s, (0, -1), True, 'full')", "[1, 1, 1]"}, ValueCase{"reduced(s, e, False, 'full')", "[]"},
        ValueCase{"reduced(s, e, False, 'noop')", "[3, 1, 2]"}, ValueCase{"reduced(s, o, True, 'full')", "[1, 1, 1]"},
        ValueCase{"reduced((), 0, False, 'full')", "[]"}, ValueCase{"valid_axes((0, -3), 3)", "True"},
        ValueCase{"valid_axes(3, 3)", "False"}, ValueCase{"valid_axes(-1, 0)", "True"},
        ValueCase{"unique_axes((0, -3), 3)", "False"}, ValueCase{"unique_axes((0, 1), 3)", "True"},
        ValueCase{"per_axis(9, 1, 2)", "9"}, ValueCase{"per_axis(o, 0, 2, n)", "7"}, ValueCase{"ceil_div(n, 2)", "4"},
        ValueCase{"ceil_div(0, 2)", "0"}, ValueCase{"conv.out(10, 3, 2, 1, 1)", "5"},
        ValueCase{"pool.out(10, 3, 2, 0, 1, False)", "4"}, ValueCase{"pool.out(10, 3, 2, 0, 1, True)", "5"},
        ValueCase{"pool.out(5, 2, 3, 1, 1, True)", "2"}, ValueCase{"pool.out(1, 9, 1, 0, 1, False)", "0"},
        ValueCase{"mhc.expansion(24)", "4"}, ValueCase{"category(x)", "'float'"}, ValueCase{"category(t)", "'int'"},
        ValueCase{"promote_int_to_float(t)", "float32"}, ValueCase{"promote_int_to_float('bool')", "'bool'"},
        ValueCase{"representable(300, 'uint8')", "False"}, ValueCase{"representable(-255, 'uint8')", "True"},
        ValueCase{"representable(65505, 'float16')", "False"},
        ValueCase{"representable(inf, 'float8_e4m3fn')", "False"}, ValueCase{"representable(inf, 'bfloat16')", "True"},
        ValueCase{"representable(2.5, 'int8')", "True"}, ValueCase{"balanced_sizes(n, 3)", "[3, 2, 2]"},
        ValueCase{"repeat(n, 2)", "[7, 7]"}));

class ExpressionFailure : public testing::TestWithParam<ValueCase> {};

TEST_P(ExpressionFailure, names_the_declaration_and_the_reason) {
  try {
    reading(GetParam().expression)->construct({});
    FAIL() << "has a value";
  } catch (const SignatureError& error) {
    EXPECT_EQ(error.facts().argument, "let r");
    EXPECT_NE(error.facts().got.find(GetParam().value), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, ExpressionFailure,
    testing::Values(ValueCase{"n // 0", "division by zero"}, ValueCase{"n % 0", "division by zero"},
                    ValueCase{"s[3]", "index 3 is out of range"},
                    ValueCase{"n * 9223372036854775807", "leaves 64 bits"},
                    ValueCase{"broadcast((4,), s)", "do not broadcast"}, ValueCase{"max(e)", "empty"},
                    ValueCase{"ceil_div(n, 0)", "ceil_div by 0"},
                    ValueCase{"reduced(s, 3, False, 'full')", "out of range"},
                    ValueCase{"reduced(s, e, False, 'reject')", "no axis"}, ValueCase{"per_axis(s, 0, 2)", "3 items"},
                    ValueCase{"per_axis(o, 0, 2)", "no value"}, ValueCase{"mhc.expansion(9)", "no n"},
                    ValueCase{"repeat(1, -1)", "-1 items"}));

}  // namespace
}  // namespace opyard
