// Workload rows become calls; rows that state no call are refused.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "entry.h"
#include "signature/validate_points.h"
#include "signature/workload_cases.h"

namespace opyard {
namespace {

std::vector<WorkloadCase> cases_of(const std::string& signature, const std::string& rows, const std::string& flops) {
  EntryText text{"Op", "f.yaml",
                 parse_yaml("{family: f, signature: " + signature + ", workloads: [" + rows + "], roofline: {flops: '" +
                                flops + "'}}",
                            "f.yaml"),
                 Node{}};
  return workload_cases(*Signature::compile(read_entry(text, false)));
}

const char* const kRagged =
    "{forall: {B: Dim, S: Dim, D: Dim, T: 'DType[float16 | float32]', L: 'Seq[Int]'}, params: {top: {type: int, "
    "default: 9}, out_dtype: {type: 'float32 | None', default: null}}, inputs: {x: {dtype: T, shape: '[S, D]'}, cu: "
    "{dtype: int32, shape: '[B + 1]', values: 'prefix_sum(L)', requires: ['prefix_offsets(S)']}, pos: {dtype: int64, "
    "shape: '[S]', values: 'packed_positions(L)', requires: ['in_range(0, top)']}, w: {dtype: T, shape: '[D]', "
    "optional: "
    "true}}, outputs: {y: {dtype: 'coalesce_dtype(out_dtype, T)', shape: '[S, D]'}}}";

TEST(Workload, generators_solve_indices_and_fill_contents) {
  const auto cases = cases_of(kRagged,
                              "{label: a, L: [2, 0, 3], D: 4, some: [w], dtype_cases: [{T: float16}, {T: float32}]}, "
                              "{label: b, L: 'repeat(3, 2)', D: 1, out_dtype: float32, dtype_cases: [{T: float16}]}",
                              "S * D");
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].id, "a-float16");
  EXPECT_EQ(cases[1].id, "a-float32");
  EXPECT_EQ(cases[2].id, "b-float16-float32");
  EXPECT_EQ(cases[0].inputs[0].sizes, (std::vector<std::int64_t>{5, 4}));
  EXPECT_EQ(cases[0].inputs[1].contents->values, (std::vector<std::int64_t>{0, 2, 2, 5}));
  EXPECT_TRUE(cases[0].inputs[3].present);
  EXPECT_FALSE(cases[2].inputs[3].present);
  EXPECT_EQ(cases[2].outputs[0].dtype, at::kFloat);
  EXPECT_EQ(cases[2].inputs[2].contents->values, (std::vector<std::int64_t>{0, 1, 2, 0, 1, 2}));
}

TEST(Workload, roofline_counts_every_tensor_once) {
  const auto cases =
      cases_of(kRagged, "{label: a, L: [2, 0, 3], D: 4, some: [w], dtype_cases: [{T: float16}]}", "S * D");
  EXPECT_EQ(cases[0].flops, 20);
  // x 5x4 and y 5x4 in two bytes, cu 4 in four, pos 5 in eight, w 4 in two.
  EXPECT_EQ(cases[0].bytes, 40 + 40 + 16 + 40 + 8);
}

TEST(Workload, a_written_tensor_counts_twice_and_its_alias_not) {
  const auto cases = cases_of(
      "{forall: {N: Dim, T: 'DType[float32]'}, inputs: {x: {dtype: T, shape: '[N]', mutated: true}}, outputs: {y: "
      "{dtype: T, shape: '[N]', alias: x}}}",
      "{label: a, N: 3, dtype_cases: [{T: float32}]}", "N + bytes(x)");
  EXPECT_EQ(cases[0].bytes, 24);
  EXPECT_EQ(cases[0].flops, 15);
}

struct BadRow {
  const char* name;
  const char* row;
  const char* reason;
};

class RefusedRow : public testing::TestWithParam<BadRow> {};

TEST_P(RefusedRow, says_why) {
  try {
    cases_of(kRagged, GetParam().row, "S");
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_NE(std::string(error.what()).find(GetParam().reason), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedRow,
    testing::Values(
        BadRow{"unknown_key", "{label: a, L: [1], D: 4, Z: 1, dtype_cases: [{T: float16}]}", "unknown key 'Z'"},
        BadRow{"no_label", "{L: [1], D: 4, dtype_cases: [{T: float16}]}", "a row has a label"},
        BadRow{"long_label", "{label: abcdefghijklmnopqrstuvwxyz, L: [1], D: 4, dtype_cases: [{T: float16}]}",
               "1 to 24"},
        BadRow{"missing_index", "{label: a, L: [1], dtype_cases: [{T: float16}]}", "D is missing"},
        BadRow{"missing_dtype", "{label: a, L: [1], D: 4}", "exactly the dtype indices"},
        BadRow{"dtype_outside", "{label: a, L: [1], D: 4, dtype_cases: [{T: int8}]}", "the call is refused"},
        BadRow{"some_of_a_required", "{label: a, L: [1], D: 4, some: [x], dtype_cases: [{T: float16}]}",
               "optional: true"},
        BadRow{"requirement", "{label: a, L: [12], D: 4, dtype_cases: [{T: float16}]}", "in_range(0, top)"},
        BadRow{"two_ids",
               "{label: a, L: [1], D: 4, dtype_cases: [{T: float16}]}, {label: a, L: [1], D: 4, dtype_cases: [{T: "
               "float16}]}",
               "one id"},
        BadRow{"call_without_arguments", "{label: a, L: 'repeat()', D: 4, dtype_cases: [{T: float16}]}",
               "repeat takes another number of arguments"},
        BadRow{"call_of_no_sequence", "{label: a, L: 'ceil_div(4, 2)', D: 4, dtype_cases: [{T: float16}]}",
               "does not fit the index 'L'"},
        BadRow{"call_of_an_index", "{label: a, L: 'repeat(D, 2)', D: 4, dtype_cases: [{T: float16}]}",
               "'D' is not declared, or has no value here"},
        BadRow{"bad_parameter", "{label: a, L: [1], D: 4, top: x, dtype_cases: [{T: float16}]}",
               "the parameters are refused"}),
    [](const auto& info) { return info.param.name; });

TEST(Workload, every_builtin_entry_has_points_and_rows) {
  for (const std::string& name : builtin_names()) {
    const auto signature = builtin_signature(name.c_str());
    EXPECT_NO_THROW(validate_points(*signature)) << name;
    EXPECT_GE(workload_cases(*signature).size(), 3u) << name;
  }
}

TEST(Workload, gemm_flops_are_two_for_each_product) {
  for (const WorkloadCase& gemm : workload_cases(*builtin_signature("BMMFwdOp"))) {
    const auto& a = gemm.inputs[0].sizes;
    EXPECT_EQ(gemm.flops, 2 * a[0] * a[1] * a[2] * gemm.inputs[1].sizes[2]) << gemm.id;
  }
}

}  // namespace
}  // namespace opyard
