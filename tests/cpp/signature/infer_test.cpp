// Inference over symbolic sizes: the same answers, no size read as a plain number, few guards.
#include <gtest/gtest.h>
#include <opyard/error.h>

#include "entry.h"
#include "symbol.h"

namespace opyard {
namespace {

std::string text(const c10::SymInt& size) {
  return size.is_symbolic() ? size.toSymNode()->str() : std::to_string(*size.maybe_as_int());
}

std::string shape_text(const SolvedOutput<c10::SymInt>& output) {
  std::string result;
  for (const c10::SymInt& size : output.sizes) {
    result += (result.empty() ? "" : ", ") + text(size);
  }
  return result;
}

class Infer : public testing::Test {
 protected:
  c10::SymInt sym(const char* name, std::int64_t value) { return symbol(name, value, questions); }
  std::shared_ptr<Questions> questions = std::make_shared<Questions>();
};

TEST_F(Infer, rms_norm_with_a_symbolic_batch_asks_nothing) {
  const auto signature = builtin_signature("RMSNormFwdOp");
  const auto construction = signature->construct({{"normalized_shape", Sequence{Value(4)}}});
  const auto call = signature->infer(construction, Inputs{symbolic_tensor({sym("s0", 3), 4}), at::Tensor()}.data());
  EXPECT_EQ(shape_text(call.outputs[0]), "s0, 4");
  EXPECT_EQ(*questions, Questions{});
}

TEST_F(Infer, a_symbolic_row_must_be_the_parameters) {
  const auto signature = builtin_signature("RMSNormFwdOp");
  const auto construction = signature->construct({{"normalized_shape", Sequence{Value(4)}}});
  const auto x = symbolic_tensor({sym("s0", 3), sym("s1", 4)});
  const auto call = signature->infer(construction, Inputs{x, at::Tensor()}.data());
  EXPECT_EQ(shape_text(call.outputs[0]), "s0, 4");
  EXPECT_EQ(*questions, Questions{"expect s1 == 4"});
}

TEST_F(Infer, gemm_compares_the_shared_dim_and_no_other) {
  const auto signature = builtin_signature("GEMMFwdOp");
  const auto a = symbolic_tensor({sym("m", 2), sym("k", 4)}), b = symbolic_tensor({sym("n", 3), sym("j", 4)});
  const auto call = signature->infer(signature->construct({}), Inputs{a, b, at::Tensor()}.data());
  EXPECT_EQ(shape_text(call.outputs[0]), "m, n");
  EXPECT_EQ(*questions, Questions{"expect j == k"});
  EXPECT_FALSE(call.empty_write);
}

TEST_F(Infer, an_affine_size_becomes_a_division_and_a_check) {
  const auto signature = builtin_signature("SiLUAndMulFwdOp");
  const auto input = symbolic_tensor({sym("m", 2), sym("w", 10)});
  const auto call = signature->infer(signature->construct({}), Inputs{input}.data());
  EXPECT_EQ(shape_text(call.outputs[0]), "m, w // 2");
  EXPECT_EQ(*questions, Questions{"expect w % 2 == 0"});
}

// A tensor keeps a copy of each symbol, so `b` is compared with `b`; one tensor given twice is not compared with
// itself.
TEST_F(Infer, rules_become_checks) {
  const auto signature = builtin_signature("GQADenseFwdOp");
  const auto batch = sym("b", 1), keys = sym("t", 5);
  const auto q = symbolic_tensor({batch, sym("q", 2), 6, 8});
  const auto k = symbolic_tensor({batch, keys, 2, 8});
  const at::Tensor none;
  const Inputs inputs{q, k, k, none, none, none, none, none, none, none};
  const auto call = signature->infer(signature->construct({{"is_causal", true}}), inputs.data());
  EXPECT_EQ(shape_text(call.outputs[0]), "b, q, 6, 8");
  EXPECT_EQ(*questions, (Questions{"expect b == b", "expect b == b", "expect 0 < t", "expect q <= t"}));
}

TEST_F(Infer, a_size_that_does_not_fit_is_an_error_with_its_symbols) {
  const auto signature = builtin_signature("GEMMFwdOp");
  const auto a = symbolic_tensor({sym("m", 2), sym("k", 4)}), b = symbolic_tensor({sym("n", 3), sym("j", 5)});
  try {
    signature->infer(signature->construct({}), Inputs{a, b, at::Tensor()}.data());
    FAIL() << "accepted";
  } catch (const SignatureError& error) {
    EXPECT_EQ(error.facts().argument, "b");
    EXPECT_EQ(error.facts().got, "shape [n, j]");
  }
}

}  // namespace
}  // namespace opyard
