// Generated contents: small cases worked out by hand, and what random ones must satisfy.
#include "manifest/generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace opyard {
namespace {

using Numbers = std::vector<std::int64_t>;

Value numbers(const Numbers& values) { return Sequence(values.begin(), values.end()); }

Value contiguous(const char* packing, const char* metadata, int alignment) {
  return Sequence{Value("contiguous"), Sequence{Value("packing"), Value(packing)},
                  Sequence{Value("metadata_kind"), Value(metadata)}, Sequence{Value("alignment"), Value(alignment)}};
}

Value masked(int max_m) { return Sequence{Value("masked"), Sequence{Value("max_m"), Value(max_m)}}; }

struct GeneratorCase {
  const char* name;
  const char* callee;
  std::vector<Value> arguments;
  Numbers shape;
  Numbers values;
};

class Generator : public testing::TestWithParam<GeneratorCase> {};

TEST_P(Generator, gives_these_contents) {
  const Contents contents = generate(Arguments(GetParam().callee, GetParam().arguments), 1);
  EXPECT_EQ(contents.shape, GetParam().shape);
  EXPECT_EQ(contents.values, GetParam().values);
}

INSTANTIATE_TEST_SUITE_P(
    Plain, Generator,
    testing::Values(
        GeneratorCase{"as_tensor", "as_tensor", {numbers({3, 1})}, {2}, {3, 1}},
        GeneratorCase{"prefix_sum", "prefix_sum", {numbers({3, 0, 2})}, {4}, {0, 3, 3, 5}},
        GeneratorCase{"prefix_sum_of_nothing", "prefix_sum", {numbers({})}, {1}, {0}},
        GeneratorCase{"exclusive", "exclusive_prefix_sum", {numbers({3, 0, 2})}, {3}, {0, 3, 3}},
        GeneratorCase{"chunk_offsets", "chunk_offsets", {numbers({5, 4}), 4}, {3}, {0, 2, 3}},
        GeneratorCase{"chunk_indices", "chunk_indices", {numbers({5, 4}), 4}, {3, 2}, {0, 0, 0, 1, 1, 0}},
        GeneratorCase{"token_indices", "token_indices", {numbers({2, 1})}, {3, 2}, {0, 0, 0, 1, 1, 0}},
        GeneratorCase{"packed_positions", "packed_positions", {numbers({2, 0, 3})}, {5}, {0, 1, 0, 1, 2}},
        GeneratorCase{"full", "full", {numbers({2, 2}), 7}, {2, 2}, {7, 7, 7, 7}},
        GeneratorCase{"window_starts", "key_windows", {numbers({2, 3}), 1, 3, "start"}, {3}, {0, 2, 2}},
        GeneratorCase{"window_ends", "key_windows", {numbers({2, 3}), 1, 3, "end"}, {3}, {2, 3, 4}},
        GeneratorCase{"masked", "moe.layout_metadata", {masked(5), 15, 3}, {3}, {5, 2, 5}},
        GeneratorCase{
            "tight_ends", "moe.layout_metadata", {contiguous("tight", "physical_psum", 1), 5, 2}, {2}, {3, 5}},
        GeneratorCase{
            "tight_rows", "moe.layout_metadata", {contiguous("tight", "per_row", 1), 5, 2}, {5}, {0, 0, 0, 1, 1}},
        GeneratorCase{
            "aligned_ends", "moe.layout_metadata", {contiguous("aligned", "physical_psum", 4), 12, 2}, {2}, {6, 10}},
        GeneratorCase{"routed", "moe.masked_routed_metadata", {masked(9), 2, 9}, {2}, {6, 3}}),
    [](const auto& info) { return info.param.name; });

TEST(RandomGenerator, samples_are_distinct_and_in_range) {
  const Contents contents = generate(Arguments("sample_indices", {20, 25}), 7);
  EXPECT_EQ(std::set<std::int64_t>(contents.values.begin(), contents.values.end()).size(), 20u);
  EXPECT_TRUE(satisfies(contents, Arguments("in_range", {0, 25})));
}

TEST(RandomGenerator, the_seed_decides) {
  const Arguments arguments("random_ids", {4, 8, 1000});
  EXPECT_EQ(generate(arguments, 3).values, generate(arguments, 3).values);
  EXPECT_NE(generate(arguments, 3).values, generate(arguments, 4).values);
  EXPECT_NE(generator_seed("Op", "x"), generator_seed("Op", "y"));
}

TEST(RandomGenerator, each_row_of_topk_is_distinct) {
  const Contents contents = generate(Arguments("topk_ids", {50, 4, 5}), 1);
  for (std::size_t row = 0; row < 50; ++row) {
    const auto first = contents.values.begin() + static_cast<std::ptrdiff_t>(row * 4);
    EXPECT_EQ(std::set<std::int64_t>(first, first + 4).size(), 4u);
  }
}

TEST(RandomGenerator, pages_are_disjoint_while_the_pool_suffices) {
  const Contents enough = generate(Arguments("paged_block_table", {3, 4, 12}), 1);
  EXPECT_EQ(std::set<std::int64_t>(enough.values.begin(), enough.values.end()).size(), 12u);
  EXPECT_TRUE(satisfies(generate(Arguments("paged_block_table", {3, 4, 2}), 1), Arguments("in_range", {0, 2})));
}

TEST(RandomGenerator, causal_choices_are_padded_with_the_extent) {
  const Contents contents = generate(Arguments("causal_topk_indices", {1, 3, 1, 2, 8, 0, 1}), 1);
  EXPECT_EQ(contents.shape, (Numbers{1, 3, 1, 2}));
  EXPECT_EQ(Numbers(contents.values.begin(), contents.values.begin() + 2), (Numbers{0, 8}));
  EXPECT_EQ(Numbers(contents.values.end() - 2, contents.values.end()), (Numbers{0, 1}));
}

struct PredicateCase {
  const char* name;
  Numbers contents;
  const char* callee;
  std::vector<Value> arguments;
  bool holds;
};

class Predicate : public testing::TestWithParam<PredicateCase> {};

TEST_P(Predicate, holds_or_not) {
  const Contents contents{{static_cast<std::int64_t>(GetParam().contents.size())}, GetParam().contents};
  EXPECT_EQ(satisfies(contents, Arguments(GetParam().callee, GetParam().arguments)), GetParam().holds);
}

INSTANTIATE_TEST_SUITE_P(
    Contents, Predicate,
    testing::Values(PredicateCase{"offsets", {0, 2, 2, 5}, "prefix_offsets", {5}, true},
                    PredicateCase{"offsets_fall", {0, 3, 2, 5}, "prefix_offsets", {5}, false},
                    PredicateCase{"offsets_end", {0, 2, 4}, "prefix_offsets", {5}, false},
                    PredicateCase{"segment_too_long", {0, 2, 5}, "max_segment", {2}, false},
                    PredicateCase{"upper_end_is_outside", {0, 4}, "in_range", {0, 4}, false},
                    PredicateCase{"sum", {1, 2, 3}, "sums_to", {6}, true},
                    PredicateCase{"exclusive", {0, 3, 3}, "exclusive_prefix_of", {numbers({3, 0, 2})}, true},
                    PredicateCase{"within", {0, 1, 1, 2}, "indices_within", {numbers({0, 2, 5})}, true},
                    PredicateCase{"place_outside", {0, 2}, "indices_within", {numbers({0, 2, 5})}, false},
                    PredicateCase{"chunks", {0, 2, 3}, "chunk_offsets_of", {numbers({0, 5, 9}), 4}, true},
                    PredicateCase{"paged_fits", {3, 1}, "attn.paged_fits", {numbers({0, 2, 6}), 5}, true},
                    PredicateCase{"paged_too_long", {3, 2}, "attn.paged_fits", {numbers({0, 2, 6}), 5}, false},
                    PredicateCase{"masked_too_many", {5, 6}, "moe.layout_valid", {masked(5), 10, 2}, false},
                    PredicateCase{"rows_change_inside_a_tile",
                                  {0, 0, 0, 1},
                                  "moe.layout_valid",
                                  {contiguous("aligned", "per_row", 2), 4, 2},
                                  false}),
    [](const auto& info) { return info.param.name; });

TEST(Generator, failures_say_why) {
  EXPECT_THROW(generate(Arguments("no_such", {1}), 1), GeneratorFailure);
  EXPECT_THROW(generate(Arguments("as_tensor", {}), 1), GeneratorFailure);
  EXPECT_THROW(generate(Arguments("as_tensor", {Value("x")}), 1), GeneratorFailure);
  EXPECT_THROW(generate(Arguments("sample_indices", {3, 2}), 1), GeneratorFailure);
  EXPECT_THROW(generate(Arguments("moe.layout_metadata", {masked(5), 14, 3}), 1), GeneratorFailure);
}

}  // namespace
}  // namespace opyard
