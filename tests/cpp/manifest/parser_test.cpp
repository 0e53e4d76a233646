// Expressions outside the language are refused, with the place where reading stopped.
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "manifest/expression.h"

namespace opyard {
namespace {

class RefusedExpression : public testing::TestWithParam<const char*> {};

TEST_P(RefusedExpression, is_a_manifest_error) {
  EXPECT_THROW(parse_expression({GetParam(), {3, 7}}, {"f.yaml", "Op", "shape_rules[0]"}), ManifestError) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Expressions, RefusedExpression,
                         testing::Values("", "a /b", "a ** b", "a is b", "a & b", "+a", "[1, 2]", "{a}", "lambda: a",
                                         "a if b", "f(x=1, y)", "f(a, b for b in c)", "sum(x for x in y if x)",
                                         "a.b.c(d)", "(a + b)(c)", "a[]", "a b", "1e999", "9223372036854775808", "007",
                                         "'open", "'a\\n'", "*a", "not", "a <", "a[1", "2x", "a == b)", "a.1"));

class AcceptedExpression : public testing::TestWithParam<const char*> {};

TEST_P(AcceptedExpression, is_read) {
  EXPECT_NO_THROW(parse_expression({GetParam(), {3, 7}}, {"f.yaml", "Op", "shape_rules[0]"})) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Expressions, AcceptedExpression,
                         testing::Values("a\n  + b", "a < b <= c", "a not in ('x', 'y')", "()", "(a,)", "a[::2]",
                                         "a[-1]", "a[1:]", "not not a", "--a", "all(x > 0 for x in s)",
                                         "max(s, default=1)", "conv.out(n, k, s, p, d)", "a.value.f",
                                         "a if b else c if d else e", "1.5 < inf", "not a == b"));

TEST(Expression, error_says_where_reading_stopped) {
  try {
    parse_expression({"N + / 2", {3, 7}}, {"f.yaml", "Op", "let R"});
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_EQ(error.facts().declared_at, "f.yaml:3:7");
    EXPECT_EQ(error.facts().argument, "let R");
    EXPECT_EQ(error.facts().got, "'/ 2' at character 5");
  }
}

TEST(Expression, depth_is_bounded) {
  const std::string deep(5000, '(');
  EXPECT_THROW(parse_expression({deep + "1", {}}, {}), ManifestError);
  EXPECT_THROW(parse_expression({std::string(5000, '-') + "1", {}}, {}), ManifestError);
}

TEST(Shape, a_star_stands_only_in_brackets) {
  EXPECT_NO_THROW(parse_shape({"[*B, N + 1, *broadcast(A, C)]", {}}, {}));
  EXPECT_NO_THROW(parse_shape({"[]", {}}, {}));
  EXPECT_NO_THROW(parse_shape({"Family[t, N // 2]", {}}, {}));
  for (const char* text : {"B", "*B", "[F[a]", "F[*B]", "[B", "[a] + [b]", "[a b]"}) {
    EXPECT_THROW(parse_shape({text, {}}, {}), ManifestError) << text;
  }
}

}  // namespace
}  // namespace opyard
