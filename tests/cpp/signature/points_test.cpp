// Entries that are refused because some point of theirs has no plan, and their neighbours that are legal.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "entry.h"
#include "signature/validate_points.h"

namespace opyard {
namespace {

/// An entry with an input x [M]; the row adds to it.
struct PointCase {
  const char* name;
  const char* params;
  const char* inputs;
  const char* rest;
  bool legal;
};

class Points : public testing::TestWithParam<PointCase> {};

TEST_P(Points, are_all_solvable_or_refused) {
  const PointCase& row = GetParam();
  const auto validate = [&] {
    validate_points(
        *signature_of(std::string("{forall: {M: Dim, N: Dim, A: Shape, B: Shape, T: 'DType[float32]'}, params: {") +
                      row.params + "}, inputs: {x: {dtype: T, shape: '[M]'}" + row.inputs + "}" + row.rest + "}"));
  };
  if (row.legal) {
    EXPECT_NO_THROW(validate());
  } else {
    EXPECT_THROW(validate(), ManifestError);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Entries, Points,
    testing::Values(
        PointCase{"value_under_and", "v: {type: 'int | None'}", "", ", shape_rules: ['present(v) and v.value > M']",
                  true},
        PointCase{"value_guarded", "v: {type: 'int | None'}", "", ", shape_rules: ['not present(v) or v.value > M']",
                  true},
        PointCase{"guard_comes_too_late", "v: {type: 'int | None'}", "",
                  ", shape_rules: ['v.value > M or not present(v)']", false},
        PointCase{"index_of_an_absent_tensor", "", ", a: {dtype: T, shape: '[N]', optional: true}",
                  ", outputs: {y: {dtype: T, shape: '[N]'}}", false},
        PointCase{"index_chosen_by_presence", "", ", a: {dtype: T, shape: '[N]', optional: true}",
                  ", let: {r: 'N if present(a) else M'}, outputs: {y: {dtype: T, shape: '[r]'}}", true},
        PointCase{"presence_in_a_circle", "",
                  ", a: {dtype: T, shape: '[N]', optional: 'present(b)'}, b: {dtype: T, shape: '[N]', optional: "
                  "'present(a)'}",
                  "", false},
        PointCase{"nothing_binds_a_product", "", ", a: {dtype: T, shape: '[N * 2]'}",
                  ", outputs: {y: {dtype: T, shape: '[N]'}}", false},
        PointCase{"a_literal_on_the_left_binds", "", ", a: {dtype: T, shape: '[2 * (N + 1) - M]'}",
                  ", outputs: {y: {dtype: T, shape: '[N]'}}", true},
        PointCase{"eight_minus_n_never_binds", "", ", a: {dtype: T, shape: '[8 - N]'}", "", false},
        PointCase{"two_open_splices", "", ", a: {dtype: T, shape: '[*A, *B]'}", "", false},
        PointCase{"the_other_splice_is_known", "", ", a: {dtype: T, shape: '[*A, *B]'}, z: {dtype: T, shape: '[*A]'}",
                  "", true},
        PointCase{"axes_on_both_sides_of_a_splice", "", ", a: {dtype: T, shape: '[M, *A, N]'}",
                  ", outputs: {y: {dtype: T, shape: '[*A, N]'}}", true},
        PointCase{"no_case_for_false", "b: {type: bool}", "",
                  ", types: {F: {params: {t: Bool, K: Dim}, match: t, cases: [{when: true, is: '[K]'}]}}, outputs: {y: "
                  "{dtype: T, shape: 'F[b, M]'}}",
                  false},
        PointCase{"the_missing_case_is_excluded", "b: {type: bool}", "",
                  ", types: {F: {params: {t: Bool, K: Dim}, match: t, cases: [{when: true, is: '[K]'}]}}, outputs: {y: "
                  "{dtype: T, shape: 'F[b, M]'}}, shape_rules: ['b']",
                  true},
        PointCase{"two_cases_match", "b: {type: bool}", "",
                  ", types: {F: {params: {t: Bool, K: Dim}, match: t, cases: [{when: true, is: '[K]'}, {when: _, is: "
                  "'[K]'}]}}, outputs: {y: {dtype: T, shape: 'F[b, M]'}}",
                  false},
        PointCase{"every_point_excluded", "b: {type: bool}", "", ", shape_rules: ['b', 'not b']", false},
        PointCase{
            "a_family_in_a_family", "m: {type: \"'row' | 'col'\"}", "",
            ", types: {G: {params: {K: Dim}, match: 'True', cases: [{when: _, is: '[K, 1]'}]}, F: {params: {d: "
            "\"'row' | 'col'\", K: Dim}, match: d, cases: [{when: row, is: 'G[K]'}, {when: col, is: '[1, K]'}]}}, "
            "outputs: {y: {dtype: T, shape: 'F[m, M]'}}",
            true}),
    [](const auto& info) { return info.param.name; });

TEST(Points, related_choices_are_enumerated_far_from_the_first_point) {
  // Only where all three are chosen does the output need an index that nothing binds.
  EXPECT_THROW(validate_points(
                   *signature_of("{forall: {M: Dim, N: Dim, T: 'DType[float32]'}, params: {a: {type: bool}, b: {type: "
                                 "bool}, c: {type: bool}}, inputs: {x: {dtype: T, shape: '[M]'}}, outputs: {y: "
                                 "{dtype: T, shape: '[N if a and b and c else M]'}}}")),
               ManifestError);
}

}  // namespace
}  // namespace opyard
