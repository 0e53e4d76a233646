// A fault in one of opyard's own keys is found alone, at its place, with what was expected there.
#include <gtest/gtest.h>

#include "faulty_file.h"

namespace opyard {
namespace {

struct OwnKeyCase {
  const char* name;
  const char* key;   // a key of the entry, ^ before what is at fault
  const char* says;  // of the fault's line
  int faults = 1;    // in all
};

class OwnKey : public testing::TestWithParam<OwnKeyCase> {};

TEST_P(OwnKey, names_the_place_and_what_was_expected) {
  const FaultyFile file(std::string("Op:\n  family: f\n  ") + GetParam().key +
                        "\n  signature:\n"
                        "    forall: {M: Dim, S: Shape, T: \"DType[float16 | float32]\"}\n"
                        "    params: {p: {type: int, default: 1}}\n"
                        "    inputs: {x: {dtype: T, shape: \"[M, *S]\"}}\n"
                        "    outputs: {y: {dtype: T, shape: \"[M, *S]\"}}\n"
                        "    shape_rules: [\"p > 0\"]\n");
  const std::vector<std::string> faults = file.faults();
  ASSERT_EQ(faults.size(), GetParam().faults) << testing::PrintToString(faults);
  const auto at_place = std::find_if(faults.begin(), faults.end(), [&](const std::string& line) {
    return line.starts_with(file.place()) && line.find(GetParam().says) != std::string::npos;
  });
  EXPECT_NE(at_place, faults.end()) << file.place() << " in " << testing::PrintToString(faults);
}

const auto name_of = [](const auto& info) { return info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Parallel, OwnKey,
    testing::Values(OwnKeyCase{"no_list", "parallel: ^M", "expected a list"},
                    OwnKeyCase{"a_number", "parallel: [^1]", "expected a string; got an integer 1"},
                    OwnKeyCase{"a_dtype_index", "parallel: [M, ^T]", "'T' is no Dim or Shape of forall"},
                    OwnKeyCase{"a_dim_twice", "parallel: [M, S, ^M]", "a dim is named twice"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Tolerance, OwnKey,
    testing::Values(
        OwnKeyCase{"no_mapping", "tolerance: ^1.0e-5", "expected a mapping"},
        OwnKeyCase{"a_dtype_of_others", "tolerance: {^float64: 1.0e-9}", "'float64' is no dtype of this entry"},
        OwnKeyCase{"a_mistyped_dtype", "tolerance: {^flaot32: 1.0e-5}", "did you mean 'float32'?"},
        OwnKeyCase{"a_negative_number", "tolerance: {float32: ^-1.0}", "a tolerance is a number from 0"},
        OwnKeyCase{"a_float_without_its_dot", "tolerance: {float32: ^1e-5}", "expected such as 1.0e-5; got '1e-5'"},
        OwnKeyCase{"no_number", "tolerance: {float32: ^.nan}", "a tolerance is a number from 0"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Reference, OwnKey,
    testing::Values(OwnKeyCase{"no_text", "reference: ^3", "expected a string"},
                    OwnKeyCase{"an_unknown_name", "reference: \"torch.relu(^xx)\"", "'xx' is no input or parameter"},
                    OwnKeyCase{"an_open_bracket", "reference: \"torch.relu(x^\"", "a bracket is not closed"},
                    OwnKeyCase{"a_wrong_bracket", "reference: \"torch.relu(x^]\"", "a bracket closes nothing"},
                    OwnKeyCase{"an_open_string", "reference: \"torch.add(x, ^'one)\"", "a string is not closed"},
                    OwnKeyCase{"nothing_read", "reference: \"^1 + 2\"", "a call over inputs and parameters"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Backward, OwnKey,
    testing::Values(
        OwnKeyCase{"no_mapping", "backward: ^Op", "expected a mapping"},
        OwnKeyCase{"nothing_given", "backward: ^{op: Op, gives: {y: x}}", "the key 'given' is missing"},
        OwnKeyCase{"an_unknown_key", "backward: {op: Op, given: {x: x}, gives: {y: x}, ^with: 1}",
                   "unknown key 'with'; operator Op; expected one of op, given, gives"},
        OwnKeyCase{"an_unknown_operator", "backward: {op: ^Opp, given: {x: x}, gives: {y: x}}",
                   "no operator has this name: Opp; operator Op; expected a declared operator; did you mean 'Op'?"},
        OwnKeyCase{"an_operator_that_is_no_name", "backward: {op: ^a-b, given: {x: x}, gives: {y: x}}",
                   "expected an operator's name", 2},
        OwnKeyCase{"a_gradient_of_no_output", "backward: {op: Op, given: {x: ^grad(z)}, gives: {y: x}}",
                   "did you mean 'grad(y)'?"},
        OwnKeyCase{"an_unknown_argument", "backward: {op: Op, given: {^q: x}, gives: {y: x}}",
                   "'q' is no input or parameter of Op"},
        OwnKeyCase{"a_gradient_of_no_input", "backward: {op: Op, given: {x: x}, gives: {y: ^q}}",
                   "'q' is no input of this entry"},
        OwnKeyCase{"an_unknown_output", "backward: {op: Op, given: {x: x}, gives: {^q: x}}", "'q' is no output of Op"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Aten, OwnKey,
    testing::Values(
        OwnKeyCase{"no_mapping", "aten: ^relu", "expected a mapping"},
        OwnKeyCase{"an_unknown_operator", "aten: {^reluu: {self: x}}", "torch has no operator aten::reluu"},
        OwnKeyCase{"a_composite", "aten: {^softmax.int: {self: x, dim: p}}",
                   "composite of other operators; operator Op; "
                   "expected an operator with kernels of its own; got softmax.int; name _softmax"},
        OwnKeyCase{"no_arguments", "aten: {relu: ^x}", "expected a mapping"},
        OwnKeyCase{"an_argument_left_out", "aten: {^relu: {}}", "aten::relu needs its argument 'self'", 2},
        OwnKeyCase{"an_input_left_out", "aten: {^relu: {}}", "no argument of aten::relu gives the input 'x'", 2},
        OwnKeyCase{"an_unknown_name", "aten: {relu: {self: ^z}}", "'z' is no input or parameter of this entry", 2},
        OwnKeyCase{"a_parameter_for_a_tensor", "aten: {relu: {self: ^p}}", "expected Tensor; got p", 2},
        OwnKeyCase{"an_unknown_argument", "aten: {relu: {self: x, ^other: x}}", "aten::relu has no such argument"},
        OwnKeyCase{"another_number_of_results", "aten: {^aminmax: {self: x}}", "returns another number of tensors"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Composition, OwnKey,
    testing::Values(OwnKeyCase{"an_unknown_operator", "composition: {kind: composite, stages: [{name: a, op: ^Opp}]}",
                               "no operator has this name: Opp"},
                    OwnKeyCase{"a_stage_of_nothing", "composition: {kind: composite, stages: [^{name: a}]}",
                               "either op or kernel"}),
    name_of);

struct RuleCase {
  const char* name;
  const char* rule;
  const char* says;
  int faults = 1;
};

class LabelledRule : public testing::TestWithParam<RuleCase> {};

TEST_P(LabelledRule, names_the_place_and_what_was_expected) {
  const FaultyFile file(std::string("Op:\n  family: f\n  signature:\n"
                                    "    forall: {M: Dim, T: \"DType[float32]\"}\n"
                                    "    inputs: {x: {dtype: T, shape: \"[M]\"}}\n"
                                    "    shape_rules:\n    - ") +
                        GetParam().rule + "\n");
  const std::vector<std::string> faults = file.faults();
  ASSERT_EQ(faults.size(), GetParam().faults) << testing::PrintToString(faults);
  const auto at_place = std::find_if(faults.begin(), faults.end(), [&](const std::string& line) {
    return line.starts_with(file.place()) && line.find(GetParam().says) != std::string::npos;
  });
  EXPECT_NE(at_place, faults.end()) << file.place() << " in " << testing::PrintToString(faults);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, LabelledRule,
    testing::Values(RuleCase{"without_a_label", "^{rule: \"M > 0\"}", "the key 'label' is missing"},
                    RuleCase{"without_a_rule", "^{label: a}", "the key 'rule' is missing"},
                    RuleCase{"a_mistyped_label", "{rule: \"M > 0\", ^lable: a}",
                             "unknown key 'lable'; operator Op; expected one of rule, label", 2},
                    RuleCase{"a_label_that_is_no_text", "{rule: \"M > 0\", label: ^3}", "expected a non-empty string"},
                    RuleCase{"an_empty_label", "{rule: \"M > 0\", label: ^\"\"}", "expected a non-empty string"},
                    RuleCase{"a_rule_that_is_no_text", "{rule: ^3, label: a}", "expected a non-empty string"},
                    RuleCase{"an_unknown_name", "{rule: \"M > ^Q\", label: a}", "'Q' is not declared"},
                    RuleCase{"no_truth_value", "{rule: ^\"M + 1\", label: a}", "a rule or condition is a Bool"}),
    name_of);

}  // namespace
}  // namespace opyard
