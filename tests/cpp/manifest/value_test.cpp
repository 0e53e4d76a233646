// Values: equality, hashing and text.
#include <gtest/gtest.h>
#include <opyard/value.h>

#include <cmath>
#include <limits>

namespace opyard {
namespace {

struct TextCase {
  Value value;
  const char* text;
};

class ValueText : public testing::TestWithParam<TextCase> {};

TEST_P(ValueText, is_what_python_prints) { EXPECT_EQ(to_text(GetParam().value), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(Values, ValueText,
                         testing::Values(TextCase{Value(), "None"}, TextCase{true, "True"}, TextCase{1, "1"},
                                         TextCase{-7, "-7"}, TextCase{1e-6, "1e-06"}, TextCase{1e-5, "1e-05"},
                                         TextCase{0.0001, "0.0001"}, TextCase{1.0, "1.0"}, TextCase{-0.0, "-0.0"},
                                         TextCase{100000.0, "100000.0"}, TextCase{1e16, "1e+16"}, TextCase{0.1, "0.1"},
                                         TextCase{std::numeric_limits<double>::infinity(), "inf"},
                                         TextCase{std::nan(""), "nan"}, TextCase{"x", "'x'"},
                                         TextCase{"it's\n", "'it\\'s\\n'"},
                                         TextCase{c10::ScalarType::BFloat16, "bfloat16"},
                                         TextCase{Sequence{1, 2}, "[1, 2]"}, TextCase{Sequence{}, "[]"}));

TEST(Value, equality_needs_the_same_type) {
  EXPECT_FALSE(Value(1) == Value(1.0));
  EXPECT_FALSE(Value(1) == Value(true));
  EXPECT_FALSE(Value("float32") == Value(c10::ScalarType::Float));
  EXPECT_TRUE(Value(Sequence{1, "a"}) == Value(Sequence{1, "a"}));
}

TEST(Value, floats_compare_by_bit_pattern) {
  EXPECT_TRUE(Value(std::nan("")) == Value(std::nan("")));
  EXPECT_FALSE(Value(0.0) == Value(-0.0));
}

TEST(Value, equal_values_hash_alike) {
  const Value a(Sequence{1, 2.5, "x", c10::ScalarType::Half});
  const Value b(Sequence{1, 2.5, "x", c10::ScalarType::Half});
  EXPECT_EQ(hash_value(a), hash_value(b));
  EXPECT_NE(hash_value(Value(Sequence{1, 2})), hash_value(Value(Sequence{2, 1})));
  EXPECT_NE(hash_value(Value(1)), hash_value(Value(1.0)));
}

TEST(Value, dtype_names_go_both_ways) {
  for (const char* name : {"bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64", "complex128"}) {
    EXPECT_STREQ(dtype_name(dtype_by_name(name)), name);
  }
  EXPECT_EQ(dtype_by_name("float"), c10::ScalarType::Undefined);
  EXPECT_EQ(dtype_name(c10::ScalarType::QInt8), nullptr);
}

}  // namespace
}  // namespace opyard
