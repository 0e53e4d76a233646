// A fault inside an expression is placed at the token that is at fault, wherever the file writes the text letter by
// letter; else at the start of the text.
#include <gtest/gtest.h>

#include "faulty_file.h"

namespace opyard {
namespace {

struct PlaceCase {
  const char* name;
  const char* signature;  // lines of a signature, indented by four; ^ before what is at fault
  const char* says;
};

class FaultPlace : public testing::TestWithParam<PlaceCase> {};

TEST_P(FaultPlace, is_the_token) {
  const FaultyFile file(std::string("Op:\n  family: f\n  signature:\n") + GetParam().signature);
  const std::vector<std::string> faults = file.faults();
  const auto at_place = std::find_if(faults.begin(), faults.end(), [&](const std::string& line) {
    return line.starts_with(file.place()) && line.find(GetParam().says) != std::string::npos;
  });
  EXPECT_NE(at_place, faults.end()) << file.place() << " in " << testing::PrintToString(faults);
}

INSTANTIATE_TEST_SUITE_P(
    Entries, FaultPlace,
    testing::Values(
        PlaceCase{"in_single_quotes", "    shape_rules: ['1 < ^Q']\n", "'Q' is not declared"},
        PlaceCase{"in_double_quotes", "    shape_rules: [\"1 < ^Q\"]\n", "'Q' is not declared"},
        PlaceCase{"plain", "    shape_rules:\n    - 1 < ^Q\n", "'Q' is not declared"},
        PlaceCase{"folded_has_only_its_start", "    shape_rules:\n    - ^>\n      1 <\n      Q\n",
                  "'Q' is not declared"},
        PlaceCase{"escaped_has_only_its_start", "    shape_rules: [^\"1 \\x3c Q\"]\n", "'Q' is not declared"},
        PlaceCase{"doubled_quotes_have_only_their_start", "    shape_rules: [^'''a'' == Q']\n", "'Q' is not declared"},
        PlaceCase{"after_letters_of_many_bytes", "    shape_rules: [\"'é' == ^Q\"]\n", "'Q' is not declared"},
        PlaceCase{"a_strange_character", "    shape_rules: ['1 < 2 ^$ 3']\n", "a character outside"},
        PlaceCase{"a_missing_operand", "    shape_rules: ['1 < ^']\n", "not an expression"},
        PlaceCase{"a_missing_bracket", "    shape_rules: ['len((1, 2) < 3^']\n", "expected ')'"},
        PlaceCase{"an_unknown_function", "    shape_rules: ['1 < ^maxx((1, 2))']\n", "did you mean 'max'?"},
        PlaceCase{"an_argument_too_many", "    shape_rules: ['1 < ^len((1, 2), 3)']\n", "another number of arguments"},
        PlaceCase{"arithmetic_with_text", "    shape_rules: [\"1 < 2 ^+ 'a'\"]\n", "arithmetic needs numbers"},
        PlaceCase{"an_operand_of_and", "    shape_rules: ['1 < 2 ^and 3']\n", "operand of and"},
        PlaceCase{"an_element_of_a_shape",
                  "    forall: {M: Dim, T: 'DType[float32]'}\n    inputs: {x: {dtype: T, shape: '[M, ^1 < 2]'}}\n",
                  "an element of a shape has the wrong kind"},
        PlaceCase{"an_unknown_family",
                  "    forall: {M: Dim, T: 'DType[float32]'}\n    inputs: {x: {dtype: T, shape: '^Fam[M]'}}\n",
                  "no family has this name"},
        PlaceCase{"a_member_of_a_type", "    params: {p: {type: 'int | ^inte | None'}}\n",
                  "'inte' is no parameter type"},
        PlaceCase{"a_member_of_an_index", "    forall: {T: 'DType[float16 | ^float]'}\n", "no such dtype"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace opyard
