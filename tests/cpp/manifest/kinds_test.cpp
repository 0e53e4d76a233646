// Static kinds: what each site of an entry may read, and what does not agree.
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "manifest/reader.h"
#include "manifest/validator.h"

namespace opyard {
namespace {

/// An entry with parameters of many kinds; `rest` adds to its signature.
void validate_with(const std::string& rest) {
  const std::string yaml =
      "{family: f, signature: {forall: {M: Dim, A: Shape, T: 'DType[float16 | float32]', U: 'DType[int32]', L: "
      "'Seq[Int]'}, params: {i: {type: int}, b: {type: bool}, v: {type: 'int | None'}, f: {type: float}, g: {type: "
      "'float "
      "| None'}, w: {type: str}, m: {type: \"'row' | 'col'\"}, u: {type: \"int | tuple[int, int] | 'same'\"}, s: "
      "{type: "
      "'list[int]'}, n: {type: 'int | float'}, t: {type: 'float16 | None'}}, inputs: {x: {dtype: T, shape: '[M, "
      "*A]'}, ids: {dtype: U, shape: '[M]', values: 'as_tensor(L)'}}" +
      rest + "}}";
  validate(*read_entry({"Op", "f.yaml", parse_yaml(yaml, "f.yaml"), Node{}}, false));
}

class LegalRule : public testing::TestWithParam<const char*> {};

TEST_P(LegalRule, validates) {
  EXPECT_NO_THROW(validate_with(std::string(", shape_rules: [\"") + GetParam() + "\"]")) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Rules, LegalRule,
                         testing::Values("M > 0", "f > 0 and f < inf", "not present(g) or 0 < g.value < 1",
                                         "w == 'anything'", "m == 'row'", "T == 'float16'",
                                         "T in ('float16', 'float32')", "n == 3", "s < (1, 2)", "s == A", "s == ()",
                                         "present(v) and v.value > M", "len(A) == 2", "all(k > 0 for k in s)",
                                         "broadcast(A, s) == A", "(0 if u == 'same' else per_axis(u, 0, 2)) > 0",
                                         "u != 'same' and per_axis(u, 0, 2) > 0", "f == i", "category(f) == 'int' or b",
                                         "representable(f, T)", "max(s, default=0) < M", "coalesce_dtype(t, T) == T",
                                         "(v.value if present(v) else M) > 1", "present(x)"));

class RefusedRule : public testing::TestWithParam<const char*> {};

TEST_P(RefusedRule, is_a_manifest_error_of_that_rule) {
  try {
    validate_with(std::string(", shape_rules: [\"") + GetParam() + "\"]");
    FAIL() << "accepted: " << GetParam();
  } catch (const ManifestError& error) {
    EXPECT_EQ(error.facts().argument, "shape_rules[0]");
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, RefusedRule,
                         testing::Values("M", "M and b", "b == 1", "b + 1 > 0", "m == 'diagonal'", "T == 'int8'",
                                         "v == None", "v == M", "v > 0", "x == 1", "y > 0", "L == A", "f < 'a'",
                                         "m < 'row'", "n + 1 > 0", "n < 1", "u + 1 > 0", "per_axis(u, 0, 2) > 0",
                                         "s > 0", "M in s and M in m", "len(M) > 0", "max(M, 3) > 0", "max(1, 2) > 0",
                                         "present(M)", "present(b)", "present(present(v))", "f.value > 0",
                                         "i.kind == 'a'", "sqrt(M) > 1", "all(s)", "(M if b else 'a') == M",
                                         "broadcast(M) == A", "not M", "m == 'row' if M else b",
                                         "pool.out(M, 1, 1, 0, 1) > 0", "reduced(s, 0, 1, 'full') == A",
                                         "'row' in 'row'"));

struct SiteCase {
  const char* name;
  const char* rest;
  const char* argument;
};

class RefusedSite : public testing::TestWithParam<SiteCase> {};

TEST_P(RefusedSite, names_the_declaration) {
  try {
    validate_with(GetParam().rest);
    FAIL() << "accepted";
  } catch (const ManifestError& error) {
    EXPECT_EQ(error.facts().argument, GetParam().argument) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sites, RefusedSite,
    testing::Values(
        SiteCase{"a_shape_reads_a_float", ", outputs: {y: {dtype: T, shape: '[f]'}}", "tensor 'y' shape"},
        SiteCase{"a_let_reads_a_free_string", ", let: {r: \"1 if w == 'a' else 2\"}", "let r"},
        SiteCase{"a_splice_of_a_number", ", outputs: {y: {dtype: T, shape: '[*M]'}}", "tensor 'y' shape"},
        SiteCase{"an_axis_of_a_sequence", ", outputs: {y: {dtype: T, shape: '[A]'}}", "tensor 'y' shape"},
        SiteCase{"a_dtype_that_may_be_none", ", outputs: {y: {dtype: t, shape: '[M]'}}", "tensor 'y' dtype"},
        SiteCase{"a_dtype_from_a_number", ", outputs: {y: {dtype: i, shape: '[M]'}}", "tensor 'y' dtype"},
        SiteCase{"lets_in_a_circle", ", let: {p: 'q + 1', q: 'p + 1'}", "let p"},
        SiteCase{"a_condition_that_is_no_bool", ", outputs: {y: {dtype: T, shape: '[M]', nullable: 'M'}}",
                 "tensor 'y' nullable"},
        SiteCase{"no_such_family", ", outputs: {y: {dtype: T, shape: 'F[M]'}}", "tensor 'y' shape"},
        SiteCase{"a_family_without_use", ", types: {F: {params: {d: Bool}, match: d, cases: [{when: _, is: '[1]'}]}}",
                 "types F"},
        SiteCase{
            "a_pattern_outside_the_enum",
            ", types: {F: {params: {d: \"'row' | 'col'\"}, match: d, cases: [{when: diagonal, is: '[1]'}]}}, outputs: "
            "{y: {dtype: T, shape: 'F[m]'}}",
            "types F"},
        SiteCase{"a_bool_pattern_for_an_enum",
                 ", types: {F: {params: {d: \"'row' | 'col'\"}, match: d, cases: [{when: true, is: '[1]'}]}}, outputs: "
                 "{y: {dtype: T, shape: 'F[m]'}}",
                 "types F"},
        SiteCase{"a_combination_of_no_dtype", ", dtype_combos: [{M: float16}]", "dtype_combos"},
        SiteCase{"combinations_of_other_columns", ", dtype_combos: [{T: float16}, {U: int32}]", "dtype_combos"},
        SiteCase{"a_combination_twice", ", dtype_combos: [{T: float16}, {T: float16}]", "dtype_combos"},
        SiteCase{"an_output_named_out", ", outputs: {out: {dtype: T, shape: '[M]'}}", "out"},
        SiteCase{"a_formula_reads_a_tensor", "}, roofline: {flops: 'x'", "roofline"},
        SiteCase{"a_formula_and_a_function", "}, roofline: {flops: 'M', func: a.b", "roofline"},
        SiteCase{"bytes_of_no_tensor", "}, roofline: {flops: 'bytes(M)'", "roofline"},
        SiteCase{"a_stage_without_name", "}, composition: {kind: composite, stages: [{op: X}]", "composition"},
        SiteCase{"a_family_reads_the_entry",
                 ", types: {F: {params: {d: Bool}, match: d, cases: [{when: _, is: '[M]'}]}}", "types F"},
        SiteCase{"a_family_matches_a_number",
                 ", types: {F: {params: {d: Dim}, match: d, cases: [{when: _, is: '[d]'}]}}", "types F"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace opyard
