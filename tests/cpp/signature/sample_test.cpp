// Calls drawn from entries: small as far as the entry's own rules go along, completed at other points.
#include <gtest/gtest.h>
#include <opyard/error.h>

#include <algorithm>

#include "entry.h"
#include "signature/sample_cases.h"

namespace opyard {
namespace {

std::shared_ptr<const Signature> signature_with(const std::string& signature, const std::string& rows) {
  EntryText text{"Op", "f.yaml",
                 parse_yaml("{family: f, signature: " + signature + ", workloads: [" + rows + "]}", "f.yaml"), Node{}};
  return Signature::compile(read_entry(text, false));
}

std::int64_t index_of(const SampleCase& sample, const std::string& name) {
  for (const auto& [index, value] : sample.call.indices) {
    if (index == name) {
      return value.get<std::int64_t>();
    }
  }
  return -1;
}

const char* const kLinked =
    "{forall: {M: Dim, N: Dim, T: 'DType[float32]'}, params: {group: {type: int, default: 128}}, inputs: {x: {dtype: "
    "T, shape: '[M]'}, y: {dtype: T, shape: '[N]'}}, outputs: {z: {dtype: T, shape: '[M]'}}, shape_rules: ['N == 2 * "
    "M', 'group > 0 and M % group == 0']}";

TEST(Sample, linked_sizes_shrink_together) {
  const auto signature =
      signature_with(kLinked, "{label: a, M: 4096, N: 8192, group: 128, dtype_cases: [{T: float32}]}");
  const auto samples = sample_cases(*signature, {});
  ASSERT_EQ(samples.size(), 1u);
  const std::int64_t m = index_of(samples[0], "M");
  EXPECT_EQ(index_of(samples[0], "N"), 2 * m);
  EXPECT_LE(m, 32);
  EXPECT_EQ(m % samples[0].call.params[0].second.get<std::int64_t>(), 0);
}

TEST(Sample, full_size_is_the_row) {
  const auto signature =
      signature_with(kLinked, "{label: a, M: 4096, N: 8192, group: 128, dtype_cases: [{T: float32}]}");
  const auto samples = sample_cases(*signature, {.small = false});
  EXPECT_EQ(index_of(samples.at(0), "M"), 4096);
}

TEST(Sample, held_parameters_stay_and_sizes_follow_them) {
  const auto signature =
      signature_with(kLinked, "{label: a, M: 4096, N: 8192, group: 128, dtype_cases: [{T: float32}]}");
  SampleRequest request;
  request.params = {{"group", Value(24)}};
  EXPECT_TRUE(sample_cases(*signature, request).empty());  // 4096 is no multiple of 24
  request.params = {{"group", Value(16)}};
  const auto samples = sample_cases(*signature, request);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(index_of(samples[0], "M"), 16);
}

TEST(Sample, different_sizes_stay_different) {
  const auto signature = signature_with(
      "{forall: {M: Dim, N: Dim, K: Dim, T: 'DType[float32]'}, inputs: {a: {dtype: T, shape: '[M, K]'}, b: {dtype: T, "
      "shape: '[K, N]'}}, outputs: {c: {dtype: T, shape: '[M, N]'}}}",
      "{label: square, M: 512, N: 512, K: 512, dtype_cases: [{T: float32}]}");
  const auto samples = sample_cases(*signature, {});
  const std::vector<std::int64_t> sizes = {index_of(samples.at(0), "M"), index_of(samples.at(0), "N"),
                                           index_of(samples.at(0), "K")};
  EXPECT_NE(sizes[0], sizes[1]);
  EXPECT_NE(sizes[1], sizes[2]);
  EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 8);
}

const char* const kModes =
    "{forall: {N: Dim, W: Dim, T: 'DType[float16 | float32]', U: 'DType[int32 | int64]', L: 'Seq[Int]'}, params: "
    "{mode: {type: \"'none' | 'table'\", default: none}}, inputs: {x: {dtype: T, shape: '[N]'}, table: {dtype: U, "
    "shape: '[W]', optional: \"mode == 'table'\"}, at: {dtype: int32, shape: '[N]', values: 'packed_positions(L)'}}, "
    "outputs: {y: {dtype: T, shape: '[N]'}}, shape_rules: [\"mode == 'none' or W == 6\"]}";

TEST(Sample, another_point_gets_the_indices_and_dtypes_that_it_demands) {
  const auto signature = signature_with(kModes, "{label: a, L: [40, 8, 1, 30, 2], dtype_cases: [{T: float16}]}");
  bool seen = false;
  for (const SampleCase& edge : edge_cases(*signature, {})) {
    if (edge.call.inputs[1].present) {
      seen = true;
      EXPECT_EQ(edge.call.inputs[1].sizes[0], 6) << edge.label;
    }
  }
  EXPECT_TRUE(seen);
}

TEST(Sample, long_sequences_are_cut_and_generators_follow) {
  const auto signature = signature_with(kModes, "{label: a, L: [40, 8, 1, 30, 2], dtype_cases: [{T: float16}]}");
  const auto samples = sample_cases(*signature, {});
  const WorkloadTensor& at = samples.at(0).call.inputs[2];
  EXPECT_LE(at.sizes[0], 24);
  EXPECT_EQ(static_cast<std::int64_t>(at.contents->values.size()), at.sizes[0]);
}

TEST(Sample, a_dtype_replaces_the_leading_one_or_gives_nothing) {
  const auto signature = signature_with(kModes, "{label: a, L: [3], dtype_cases: [{T: float16}]}");
  EXPECT_EQ(sample_cases(*signature, {.dtype = at::kFloat}).at(0).call.inputs[0].dtype, at::kFloat);
  EXPECT_TRUE(sample_cases(*signature, {.dtype = at::kDouble}).empty());
  EXPECT_EQ(sample_dtypes(*signature), (std::vector<c10::ScalarType>{at::kHalf, at::kFloat}));
}

TEST(Sample, layouts_hold_the_same_values) {
  const WorkloadTensor tensor{"x", true, at::kFloat, {3, 4}};
  const at::Tensor plain = make_tensor(tensor, Layout::kPlain, at::kCPU, 1);
  for (const Layout layout : {Layout::kStrided, Layout::kTransposed, Layout::kOffset}) {
    const at::Tensor laid_out = make_tensor(tensor, layout, at::kCPU, 1);
    EXPECT_TRUE(laid_out.equal(plain)) << layout_name(layout);
    EXPECT_TRUE(laid_out.strides() != plain.strides() || laid_out.storage_offset() != 0) << layout_name(layout);
  }
  EXPECT_EQ(make_tensor(tensor, Layout::kExpanded, at::kCPU, 1).stride(0), 0);
  EXPECT_FALSE(make_tensor(tensor, Layout::kPlain, at::kCPU, 2).equal(plain));
}

TEST(Sample, random_calls_are_those_of_their_seed) {
  const auto signature = builtin_signature("GEMMFwdOp");
  const auto labels = [&](std::uint64_t seed) {
    std::string text;
    for (const SampleCase& sample : random_cases(*signature, 8, seed)) {
      text += to_text(Value(Sequence(sample.call.outputs[0].sizes.begin(), sample.call.outputs[0].sizes.end())));
    }
    return text;
  };
  EXPECT_EQ(labels(3), labels(3));
  EXPECT_NE(labels(3), labels(4));
}

}  // namespace
}  // namespace opyard
