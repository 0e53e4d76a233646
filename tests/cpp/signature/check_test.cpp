// The call check: what it solves, and what it refuses.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>

#include <atomic>
#include <thread>

#include "entry.h"

namespace opyard {
namespace {

at::Tensor zeros(at::IntArrayRef sizes, at::ScalarType dtype = at::kFloat) {
  return at::zeros(sizes, at::TensorOptions().dtype(dtype));
}

const at::Tensor kAbsent;

TEST(Check, rms_norm_solves_batch_and_output) {
  const auto signature = builtin_signature("RMSNormFwdOp");
  const auto construction = signature->construct({{"normalized_shape", Sequence({3, 4})}});
  const Inputs inputs{zeros({2, 5, 3, 4}, at::kBFloat16), kAbsent};
  const auto call = signature->check(construction, inputs.data());
  ASSERT_EQ(call.outputs.size(), 1u);
  EXPECT_EQ(c10::IntArrayRef(call.outputs[0].sizes), c10::IntArrayRef({2, 5, 3, 4}));
  EXPECT_EQ(call.outputs[0].dtype, at::kBFloat16);
  EXPECT_TRUE(call.device.is_cpu());
  EXPECT_FALSE(call.empty_write);
  EXPECT_EQ(index_text(*signature, construction, inputs, "B"), "[2, 5]");
  EXPECT_EQ(index_text(*signature, construction, inputs, "T"), "bfloat16");
}

TEST(Check, a_batch_may_have_no_dimension) {
  const auto signature = builtin_signature("RMSNormFwdOp");
  const auto construction = signature->construct({{"normalized_shape", Sequence{Value(4)}}});
  EXPECT_EQ(index_text(*signature, construction, Inputs{zeros({4}), zeros({4})}, "B"), "[]");
}

TEST(Check, an_output_without_elements_is_an_empty_write) {
  const auto signature = builtin_signature("GEMMFwdOp");
  const auto construction = signature->construct({});
  EXPECT_TRUE(signature->check(construction, Inputs{zeros({0, 4}), zeros({5, 4}), kAbsent}.data()).empty_write);
  EXPECT_FALSE(signature->check(construction, Inputs{zeros({3, 0}), zeros({5, 0}), kAbsent}.data()).empty_write);
}

TEST(Check, gemm_reads_each_layout) {
  const auto signature = builtin_signature("GEMMFwdOp");
  for (const bool trans_a : {false, true}) {
    for (const bool trans_b : {false, true}) {
      const auto construction = signature->construct({{"trans_a", trans_a}, {"trans_b", trans_b}});
      const auto a = trans_a ? zeros({4, 2}) : zeros({2, 4});
      const auto b = trans_b ? zeros({3, 4}) : zeros({4, 3});
      const auto call = signature->check(construction, Inputs{a, b, zeros({3})}.data());
      EXPECT_EQ(c10::IntArrayRef(call.outputs[0].sizes), c10::IntArrayRef({2, 3}));
      EXPECT_EQ(signature->named_indices(call.index_words).size(), 4u);
    }
  }
}

TEST(Check, silu_and_mul_halves_the_row) {
  const auto signature = builtin_signature("SiLUAndMulFwdOp");
  const auto call = signature->check(signature->construct({}), Inputs{zeros({3, 10})}.data());
  EXPECT_EQ(c10::IntArrayRef(call.outputs[0].sizes), c10::IntArrayRef({3, 5}));
}

TEST(Check, attention_with_rotation_tables) {
  const auto signature = builtin_signature("GQADenseFwdOp");
  const auto construction = signature->construct({{"pos_encoding_mode", "rope"}, {"rotary_dim", 16}});
  const auto q = zeros({1, 4, 6, 32}), k = zeros({1, 8, 2, 32}), table = zeros({11, 8});
  const Inputs inputs{q, k, k, kAbsent, kAbsent, kAbsent, table, table, kAbsent, kAbsent};
  EXPECT_EQ(index_text(*signature, construction, inputs, "P_pad"), "3");
  EXPECT_EQ(index_text(*signature, construction, inputs, "R"), "16");
}

TEST(Check, masks_broadcast) {
  const auto signature = builtin_signature("GQADenseFwdOp");
  const auto construction = signature->construct({});
  const auto q = zeros({2, 4, 6, 32}), k = zeros({2, 8, 2, 32});
  const auto with_mask = [&](const at::Tensor& mask) {
    return Inputs{q, k, k, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, kAbsent, mask};
  };
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{2, 1, 4, 8}, {4, 8}, {1}, {}, {1, 6, 1, 8}}) {
    EXPECT_NO_THROW(signature->check(construction, with_mask(zeros(sizes, at::kBool)).data()));
  }
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{2, 2, 4, 8}, {4, 7}, {1, 2, 1, 4, 8}}) {
    EXPECT_THROW(signature->check(construction, with_mask(zeros(sizes, at::kBool)).data()), SignatureError);
  }
}

TEST(Check, threads_meet_new_points_together) {
  const auto signature = builtin_signature("GEMMFwdOp");
  const auto construction = signature->construct({});
  const Inputs plain{zeros({2, 4}), zeros({3, 4}), kAbsent};
  const Inputs biased{zeros({2, 4}), zeros({3, 4}), zeros({3})};
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 200; ++k) {
        const auto call = signature->check(construction, (i + k) % 2 == 0 ? plain.data() : biased.data());
        right += call.outputs[0].sizes[1] == 3 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, 800);
}

struct BadCall {
  const char* name;
  const char* op;
  std::vector<NamedValue> params;
  std::vector<at::Tensor> inputs;
  SignatureError::Kind kind;
  const char* argument;
  const char* expected;
  const char* got;
};

class RefusedCall : public testing::TestWithParam<BadCall> {};

TEST_P(RefusedCall, names_argument_expected_and_got) {
  const BadCall& row = GetParam();
  const auto signature = builtin_signature(row.op);
  const auto construction = signature->construct(row.params);
  std::vector<const at::Tensor*> inputs;
  for (const at::Tensor& tensor : row.inputs) {
    inputs.push_back(tensor.defined() ? &tensor : nullptr);
  }
  inputs.resize(signature->inputs().size(), nullptr);
  try {
    signature->check(construction, inputs.data());
    FAIL() << "accepted";
  } catch (const SignatureError& error) {
    EXPECT_EQ(error.kind(), row.kind);
    EXPECT_EQ(error.facts().op, row.op);
    EXPECT_EQ(error.facts().argument, row.argument);
    EXPECT_EQ(error.facts().expected, row.expected);
    EXPECT_EQ(error.facts().got, row.got);
    EXPECT_EQ(std::string(error.what()).rfind(std::string(row.op) + ": ", 0), 0u) << error.what();
  }
}

constexpr auto kType = SignatureError::Kind::kType;
constexpr auto kValue = SignatureError::Kind::kValue;
const std::vector<NamedValue> kNorm4{{"normalized_shape", Sequence{Value(4)}}};

INSTANTIATE_TEST_SUITE_P(
    Builtin, RefusedCall,
    testing::Values(
        BadCall{"missing_input", "BMMFwdOp", {}, {zeros({1, 2, 3})}, kType, "b", "a tensor", "None"},
        BadCall{"wrong_rank",
                "BMMFwdOp",
                {},
                {zeros({2, 3}), zeros({1, 3, 4})},
                kValue,
                "a",
                "3 dimensions, shape [B, M, K]",
                "2 dimensions, shape [2, 3]"},
        BadCall{"rank_below_the_row",
                "RMSNormFwdOp",
                {{"normalized_shape", Sequence({2, 4})}},
                {zeros({4})},
                kValue,
                "x",
                "at least 2 dimensions, shape [*B, *normalized_shape]",
                "1 dimensions, shape [4]"},
        BadCall{"size_against_an_earlier_input",
                "BMMFwdOp",
                {},
                {zeros({1, 2, 3}), zeros({1, 5, 4})},
                kValue,
                "b",
                "3 in dimension 1 of [B, K, N], as K in 'a' of shape [1, 2, 3]",
                "shape [1, 5, 4]"},
        BadCall{"size_against_a_parameter",
                "RMSNormFwdOp",
                kNorm4,
                {zeros({2, 5})},
                kValue,
                "x",
                "4 in dimension 1 of [*B, *normalized_shape], as parameter normalized_shape",
                "shape [2, 5]"},
        BadCall{"dtype_outside_the_set",
                "RMSNormFwdOp",
                kNorm4,
                {zeros({2, 4}, at::kInt)},
                kType,
                "x",
                "float16, float32, float64, bfloat16",
                "int32"},
        BadCall{"dtype_against_an_earlier_input",
                "RMSNormFwdOp",
                kNorm4,
                {zeros({2, 4}), zeros({4}, at::kHalf)},
                kType,
                "weight",
                "float32, as T is",
                "float16"},
        BadCall{"devices_differ",
                "BMMFwdOp",
                {},
                {at::zeros({1, 2, 3}, at::TensorOptions().device(at::kMeta)), zeros({1, 3, 4})},
                kValue,
                "b",
                "meta, as 'a'",
                "cpu"},
        BadCall{"odd_row", "SiLUAndMulFwdOp", {}, {zeros({2, 7})}, kValue, "input", "dimension 1 = 0 + 2 * N", "7"},
        BadCall{"head_groups",
                "GQADenseFwdOp",
                {},
                {zeros({1, 2, 5, 8}), zeros({1, 2, 2, 8}), zeros({1, 2, 2, 8})},
                kValue,
                "shape_rules[0]",
                "H_kv > 0 and H % H_kv == 0",
                "H_kv = 2, H = 5"},
        BadCall{"queries_without_keys",
                "GQADenseFwdOp",
                {{"is_causal", true}},
                {zeros({1, 3, 2, 8}), zeros({1, 2, 2, 8}), zeros({1, 2, 2, 8})},
                kValue,
                "shape_rules[3]",
                "not is_causal or S_q <= S_kv",
                "is_causal = True, S_q = 3, S_kv = 2"},
        BadCall{"must_be_absent",
                "GQADenseFwdOp",
                {},
                {zeros({1, 2, 2, 8}), zeros({1, 2, 2, 8}), zeros({1, 2, 2, 8}), kAbsent, zeros({1, 2})},
                kType,
                "k_scale",
                "None (present exactly when present(q_scale))",
                "a tensor"},
        BadCall{"excluded_point",
                "GQADenseFwdOp",
                {},
                {zeros({1, 2, 2, 8}), zeros({1, 2, 2, 8}), zeros({1, 2, 2, 8}), zeros({1, 2}), zeros({1, 2}),
                 zeros({1, 2})},
                kValue,
                "shape_rules[5]",
                "not present(q_scale)",
                ""}),
    [](const auto& info) { return info.param.name; });

TEST(Check, without_inputs_the_parameter_names_the_device) {
  const auto signature = signature_of(
      "{params: {n: {type: int}, device: {type: 'torch.device | str | None', default: null}}, outputs: {y: {dtype: "
      "float32, shape: '[n]'}}}");
  const auto device = [&](const Value& value) {
    return signature->check(signature->construct({{"n", 3}, {"device", value}}), nullptr).device;
  };
  EXPECT_TRUE(device(c10::Device(c10::DeviceType::Meta)).is_meta());
  EXPECT_TRUE(device("meta").is_meta());
  EXPECT_THROW(device("nowhere"), SignatureError);
}

TEST(Check, strided_inputs_pass_unless_declared_contiguous) {
  const auto free_strides =
      signature_of("{forall: {M: Dim, N: Dim, T: 'DType[float32]'}, inputs: {x: {dtype: T, shape: '[M, N]'}}}");
  const auto contiguous = signature_of(
      "{forall: {M: Dim, N: Dim, T: 'DType[float32]'}, inputs: {x: {dtype: T, shape: '[M, N]', contiguous: true}}}");
  const Inputs inputs{zeros({3, 4}).t()};
  EXPECT_NO_THROW(free_strides->check(free_strides->construct({}), inputs.data()));
  EXPECT_THROW(contiguous->check(contiguous->construct({}), inputs.data()), SignatureError);
}

}  // namespace
}  // namespace opyard
