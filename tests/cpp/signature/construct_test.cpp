// Construction: conversion, defaults, rules that parameters alone decide.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "entry.h"

namespace opyard {
namespace {

struct ConversionCase {
  const char* type;
  Value given;
  const char* kept;  // "" when refused
};

class Conversion : public testing::TestWithParam<ConversionCase> {};

TEST_P(Conversion, follows_the_declared_type) {
  const auto& [type, given, kept] = GetParam();
  const auto signature = signature_of("{params: {p: {type: \"" + std::string(type) + "\"}}}");
  if (*kept == '\0') {
    EXPECT_THROW(signature->construct({{"p", given}}), SignatureError);
  } else {
    EXPECT_EQ(to_text(signature->construct({{"p", given}}).params.at(0)), kept);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Types, Conversion,
    testing::Values(
        ConversionCase{"int", 3, "3"}, ConversionCase{"int", true, ""}, ConversionCase{"int", 3.0, ""},
        ConversionCase{"bool", true, "True"}, ConversionCase{"bool", 1, ""}, ConversionCase{"str", "a", "'a'"},
        ConversionCase{"float", 3, "3"}, ConversionCase{"float", 0.5, "0.5"}, ConversionCase{"float", true, "True"},
        ConversionCase{"float", "1", ""}, ConversionCase{"float", Value(), ""}, ConversionCase{"Number", 2, "2"},
        ConversionCase{"'a' | 'b'", "b", "'b'"}, ConversionCase{"'a' | 'b'", "c", ""},
        ConversionCase{"int | None", Value(), "None"}, ConversionCase{"float16 | bfloat16", "float16", "float16"},
        ConversionCase{"float16 | bfloat16", c10::ScalarType::BFloat16, "bfloat16"},
        ConversionCase{"float16 | bfloat16", "float32", ""},
        ConversionCase{"torch.dtype", c10::ScalarType::ComplexFloat, "complex64"}, ConversionCase{"torch.dtype", 5, ""},
        ConversionCase{"list[int]", Sequence({1, 2}), "[1, 2]"}, ConversionCase{"list[int]", Sequence({1, true}), ""},
        ConversionCase{"list[int]", Sequence({1, Value()}), ""},
        ConversionCase{"list[int | None]", Sequence({1, Value()}), "[1, None]"},
        ConversionCase{"tuple[int, int]", Sequence({1, 2}), "[1, 2]"},
        ConversionCase{"tuple[int, int]", Sequence({1, 2, 3}), ""}, ConversionCase{"tuple[int, ...]", Sequence{}, "[]"},
        ConversionCase{"int | tuple[int, int] | 'same'", "same", "'same'"}, ConversionCase{"list[int]", 3, ""},
        ConversionCase{"pkg.Thing", "anything", "'anything'"}));

struct BadConstruction {
  const char* name;
  const char* op;
  std::vector<NamedValue> given;
  SignatureError::Kind kind;
  const char* argument;
  const char* expected;
  const char* got;
};

class RefusedConstruction : public testing::TestWithParam<BadConstruction> {};

TEST_P(RefusedConstruction, names_argument_expected_and_got) {
  const BadConstruction& row = GetParam();
  try {
    builtin_signature(row.op)->construct(row.given);
    FAIL() << "accepted";
  } catch (const SignatureError& error) {
    EXPECT_EQ(error.kind(), row.kind);
    EXPECT_EQ(error.facts().op, row.op);
    EXPECT_EQ(error.facts().argument, row.argument);
    EXPECT_EQ(error.facts().expected, row.expected);
    EXPECT_EQ(error.facts().got, row.got);
    EXPECT_NE(error.facts().declared_at.find(".yaml:"), std::string::npos);
  }
}

constexpr auto kType = SignatureError::Kind::kType;
constexpr auto kValue = SignatureError::Kind::kValue;

INSTANTIATE_TEST_SUITE_P(
    Builtin, RefusedConstruction,
    testing::Values(
        BadConstruction{
            "missing", "RMSNormFwdOp", {}, kType, "normalized_shape", "list[int] | tuple[int, ...]", "nothing"},
        BadConstruction{"unknown", "BMMFwdOp", {{"scale", 2}}, kType, "scale", "no parameters", "2"},
        BadConstruction{"wrong_type", "GEMMFwdOp", {{"trans_a", 1}}, kType, "trans_a", "bool", "1 (int)"},
        BadConstruction{"empty_shape",
                        "RMSNormFwdOp",
                        {{"normalized_shape", Sequence{}}},
                        kValue,
                        "shape_rules[0]",
                        "len(normalized_shape) > 0",
                        "normalized_shape = []"},
        BadConstruction{"negative_size",
                        "RMSNormFwdOp",
                        {{"normalized_shape", Sequence{Value(-1)}}},
                        kValue,
                        "x",
                        "[*B, *normalized_shape]",
                        "[-1]"},
        BadConstruction{"range",
                        "RoPENeoxPositionIdsFwdOp",
                        {{"max_position", 0}},
                        kValue,
                        "shape_rules[0]",
                        "1 <= max_position <= 2147483648",
                        "max_position = 0"},
        BadConstruction{"enum_member",
                        "GQADenseFwdOp",
                        {{"rope_layout", "gptj"}},
                        kType,
                        "rope_layout",
                        "'neox' | 'interleaved'",
                        "'gptj' (str)"},
        BadConstruction{"excluded_point",
                        "GQADenseFwdOp",
                        {{"rotary_dim", 32}},
                        kValue,
                        "shape_rules[7]",
                        "not present(rotary_dim) or pos_encoding_mode == 'rope'",
                        "rotary_dim = 32, pos_encoding_mode = 'none'"},
        BadConstruction{"infinite_scale",
                        "GQADenseFwdOp",
                        {{"sm_scale", std::numeric_limits<double>::infinity()}},
                        kValue,
                        "shape_rules[9]",
                        "not present(sm_scale) or 0 < sm_scale.value < inf",
                        "sm_scale = inf"}),
    [](const auto& info) { return info.param.name; });

TEST(Construction, defaults_fill_in_by_declaration_order) {
  const Construction construction = builtin_signature("RoPENeoxPositionIdsFwdOp")->construct({{"max_position", 128}});
  EXPECT_EQ(to_text(Value(construction.params)), "[128, 10000.0, None]");
}

TEST(Construction, a_parameter_given_twice_is_refused) {
  EXPECT_THROW(builtin_signature("GEMMFwdOp")->construct({{"trans_a", true}, {"trans_a", true}}), SignatureError);
}

TEST(Construction, solves_what_parameters_decide) {
  const auto signature = signature_of(
      "{forall: {N: Dim}, params: {k: {type: int, default: 3}}, let: {a: 'b + 1', b: 'k * 2', c: 'N + a'}}");
  const Construction construction = signature->construct({});
  ASSERT_EQ(construction.indices.size(), 2u);
  EXPECT_EQ(construction.indices[0].first + "=" + to_text(construction.indices[0].second), "b=6");
  EXPECT_EQ(construction.indices[1].first + "=" + to_text(construction.indices[1].second), "a=7");
}

TEST(Construction, a_rule_that_needs_the_call_waits_for_it) {
  const auto signature = signature_of(
      "{forall: {N: Dim, T: 'DType[float32]'}, params: {k: {type: int}}, inputs: {x: {dtype: T, shape: '[N]'}}, "
      "shape_rules: ['k < N']}");
  const Construction construction = signature->construct({{"k", 5}});
  EXPECT_NO_THROW(signature->check(construction, Inputs{at::zeros({6})}.data()));
  EXPECT_THROW(signature->check(construction, Inputs{at::zeros({5})}.data()), SignatureError);
}

Value layout(const char* constructor, std::vector<NamedValue> fields) {
  Sequence pairs;
  for (auto& [name, value] : fields) {
    pairs.push_back(Sequence{Value(name), value});
  }
  return Sequence{Value(Sequence{Value(constructor), Value(pairs)})};
}

TEST(Construction, an_algebraic_data_type_keeps_its_invariant) {
  const EntryText text{
      "Op", "f.yaml",
      parse_yaml("{family: f, signature: {params: {p: {type: L}}, let: {r: \"p.m * 2 if p.kind == 'few' else 0\"}}}",
                 "f.yaml"),
      parse_yaml(
          "{L: {sum: {few: {python: a.B, fields: {m: Dim}, invariant: 'm >= 2'}, many: {python: a.C, fields: {k: "
          "\"'a' | 'b'\"}}}}}",
          "types.yaml")};
  const auto signature = Signature::compile(read_entry(text, false));
  const auto r = [&](const Value& value) { return to_text(signature->construct({{"p", value}}).indices.at(0).second); };
  EXPECT_EQ(r(layout("few", {{"m", 3}})), "6");
  EXPECT_EQ(r(layout("many", {{"k", "b"}})), "0");
  EXPECT_THROW(r(layout("few", {{"m", 1}})), SignatureError) << "invariant";
  EXPECT_THROW(r(layout("few", {})), SignatureError) << "missing field";
  EXPECT_THROW(r(layout("many", {{"k", "c"}})), SignatureError) << "not a member";
  EXPECT_THROW(r(layout("none", {})), SignatureError) << "no such constructor";
}

constexpr const char* kWithTensor =
    "{forall: {D: Dim, T: 'DType[float32]', R: 'DType[float16 | float32]'}, params: {k: {type: int, default: 1}, "
    "table: "
    "{dtype: R, shape: '[D // 2]', optional: true}}, inputs: {x: {dtype: T, shape: '[D]'}}, outputs: {y: {dtype: T, "
    "shape: '[D]'}}}";

TEST(Construction, takes_tensors_apart_from_values) {
  const auto signature = signature_of(kWithTensor);
  const Inputs x{at::zeros({6})};
  const auto check = [&](const Construction& construction) { signature->check(construction, x.data()); };
  EXPECT_NO_THROW(check(signature->construct({})));
  EXPECT_NO_THROW(check(signature->construct({{"k", 2}}, {{"table", at::zeros({3}, at::kHalf)}})));
  EXPECT_THROW(check(signature->construct({}, {{"table", at::zeros({4}, at::kHalf)}})), SignatureError) << "shape";
  EXPECT_THROW(check(signature->construct({}, {{"table", at::zeros({3}, at::kInt)}})), SignatureError) << "dtype";
  EXPECT_THROW(signature->construct({}, {{"tables", at::zeros({3})}}), SignatureError) << "name";
}

TEST(Construction, a_tensor_of_the_construction_has_no_say_in_the_device) {
  const auto signature = signature_of(kWithTensor);
  const Inputs x{at::zeros({6}, at::TensorOptions().device(at::kMeta))};
  const auto call = signature->check(signature->construct({}, {{"table", at::zeros({3}, at::kHalf)}}), x.data());
  EXPECT_TRUE(call.device.is_meta());
}

TEST(Signature, tells_arguments_as_a_caller_sees_them) {
  const auto signature = builtin_signature("GQADenseFwdOp");
  EXPECT_EQ(signature->family(), "attention");
  EXPECT_EQ(signature->inputs().size(), 10u);
  EXPECT_FALSE(signature->inputs()[2].optional);
  EXPECT_TRUE(signature->inputs()[4].optional) << "absent under a condition";
  EXPECT_EQ(signature->inputs()[9].name, "mask");
  EXPECT_EQ(signature->outputs().at(0).name, "o");
  EXPECT_EQ(to_text(signature->params().at(1).default_value.value()), "-1");
  EXPECT_FALSE(builtin_signature("RMSNormFwdOp")->params().at(0).default_value.has_value());
}

}  // namespace
}  // namespace opyard
