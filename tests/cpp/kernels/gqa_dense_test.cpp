// Every implementation of GQADenseFwdOp against attention written out in float64, and torch's own where it has it.
#include <kernels/kernel_case.h>

namespace opyard::test {
namespace {

struct Extras {
  at::Tensor mask = {}, sinks = {};
  bool causal = false;
  std::int64_t left = -1, right = -1;
  Value scale = Value(), softcap = Value();
};

KernelCase attention(at::Tensor q, at::Tensor k, at::Tensor v, const Extras& extras) {
  return {"GQADenseFwdOp",
          {{"q", q},
           {"k", k},
           {"v", v},
           {"q_scale", {}},
           {"k_scale", {}},
           {"v_scale", {}},
           {"rope_cos", {}},
           {"rope_sin", {}},
           {"sinks", extras.sinks},
           {"mask", extras.mask}},
          {{"is_causal", extras.causal},
           {"window_size_left", extras.left},
           {"window_size_right", extras.right},
           {"sm_scale", extras.scale},
           {"softcap", extras.softcap},
           {"pos_encoding_mode", "none"},
           {"rotary_dim", Value()},
           {"rope_layout", "neox"},
           {"out_dtype", Value()}},
          "o",
          q.scalar_type(),
          q.sizes().vec()};
}

/// One query of one head at a time, as the definition reads.
at::Tensor exact(const KernelCase& row, const Extras& extras) {
  const at::Tensor q = row.inputs[0].second.to(at::kDouble), k = row.inputs[1].second.to(at::kDouble),
                   v = row.inputs[2].second.to(at::kDouble);
  const std::int64_t queries = q.size(1), heads = q.size(2), keys = k.size(1);
  const double scale =
      extras.scale.is_none() ? 1 / std::sqrt(static_cast<double>(q.size(3))) : extras.scale.get<double>();
  const at::Tensor out = at::zeros(q.sizes(), at::kDouble);
  const at::Tensor mask = extras.mask.defined() ? extras.mask.expand({q.size(0), heads, queries, keys}) : at::Tensor();
  for (std::int64_t b = 0; b < q.size(0); ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t shared = h * k.size(2) / heads;
      for (std::int64_t i = 0; i < queries; ++i) {
        at::Tensor scores = k[b].select(1, shared).matmul(q[b][i][h]) * scale;
        if (!extras.softcap.is_none()) {
          const double cap = extras.softcap.get<double>();
          scores = (scores / cap).tanh() * cap;
        }
        const at::Tensor distance = at::arange(keys, at::kLong) - (i + keys - queries);
        at::Tensor open = at::ones({keys}, at::kBool);
        open = extras.causal || extras.right >= 0 ? open & (distance <= (extras.causal ? 0 : extras.right)) : open;
        open = extras.left >= 0 ? open & (distance >= -extras.left) : open;
        if (mask.defined() && mask.scalar_type() == at::kBool) {
          open = open & mask[b][h][i];
        } else if (mask.defined()) {
          scores = scores + mask[b][h][i].to(at::kDouble);
        }
        const at::Tensor weights = scores.exp().masked_fill(open.logical_not(), 0);
        const double sink = extras.sinks.defined() ? std::exp(extras.sinks[h].item<double>()) : 0.0;
        const double total = weights.sum().item<double>() + sink;
        if (total > 0) {
          out[b][i][h].copy_(v[b].select(1, shared).t().matmul(weights) / total);
        }
      }
    }
  }
  return out;
}

struct Shape {
  std::int64_t batch, queries, keys, heads, kv_heads, width;
};

void expect_all(const KernelCase& row, const Extras& extras, int arch, const std::string& name) {
  const at::Tensor expected = exact(row, extras);
  for (const char* key : {"aten", "sdpa", "vec"}) {
    const Implementation candidate = implementation("GQADenseFwdOp", key, arch);
    if (!refusal_of(candidate, spec_of(row, arch))) {
      SCOPED_TRACE(std::string(key) + " " + name);
      expect_close(run(candidate, row, arch), expected, 4);
    } else {
      EXPECT_STRNE(key, "aten") << name;
    }
  }
}

class Attention : public testing::TestWithParam<Variant> {};

TEST_P(Attention, EqualsTheDefinition) {
  const auto [arch, t] = GetParam();
  const Shape shapes[] = {{1, 1, 37, 9, 3, 64}, {2, 1, 5, 4, 4, 16},   {1, 12, 12, 6, 2, 64},  {2, 3, 9, 4, 1, 40},
                          {1, 5, 3, 2, 2, 7},   {1, 1, 700, 3, 1, 32}, {1, 40, 150, 2, 1, 80}, {1, 2, 1, 34, 1, 128}};
  for (const Shape& s : shapes) {
    const std::string name =
        c10::str(s.batch, "x", s.queries, "x", s.keys, "x", s.heads, "/", s.kv_heads, "x", s.width);
    const at::Tensor q = random({s.batch, s.queries, s.heads, s.width}, t);
    const at::Tensor k = random({s.batch, s.keys, s.kv_heads, s.width}, t);
    const at::Tensor v = random({s.batch, s.keys, s.kv_heads, s.width}, t);
    const at::Tensor bits = at::rand({s.batch, 1, s.queries, s.keys}) > 0.3;
    const std::pair<std::string, Extras> rows[] = {
        {"plain", {}},
        {"causal", {.causal = true}},
        {"scaled", {.scale = 0.3}},
        {"bool mask", {.mask = bits}},
        {"bool mask, causal", {.mask = bits, .causal = true}},
        {"bool mask of keys", {.mask = at::rand({s.keys}) > 0.3}},
        {"float mask", {.mask = random({s.batch, s.heads, s.queries, s.keys}, t)}},
        {"float mask, causal", {.mask = random({1, 1, s.queries, s.keys}, t), .causal = true}},
        {"window", {.left = 4, .right = 2}},
        {"causal window", {.causal = true, .left = 3}},
        {"softcap", {.softcap = 1.5}},
        {"sinks", {.sinks = random({s.heads}, t), .causal = true}},
        {"all", {.mask = bits, .sinks = random({s.heads}, t), .causal = true, .left = 6, .scale = 0.2, .softcap = 3.0}},
    };
    for (const auto& [what, extras] : rows) {
      expect_all(attention(q, k, v, extras), extras, arch, name + " " + what);
    }
  }
}

TEST_P(Attention, ReadsStridedAndExpandedInputs) {
  const auto [arch, t] = GetParam();
  const at::Tensor q = random({2, 6, 4, 32}, t), k = random({2, 2, 9, 32}, t), v = random({2, 2, 9, 32}, t);
  const at::Tensor wide = random({2, 9, 2, 70}, t);
  const Extras causal = {.causal = true};
  const at::Tensor mask = at::rand({4, 9, 4}).gt(0.2).transpose(1, 2);  // [H, S_q, S_kv]
  expect_all(attention(q.transpose(1, 2).contiguous().transpose(1, 2).slice(1, 1, 5), k.transpose(1, 2),
                       v.transpose(1, 2), causal),
             causal, arch, "as transformers gives them");
  expect_all(attention(q, wide.slice(3, 0, 32), wide.slice(3, 35, 67), causal), causal, arch, "offset");
  expect_all(attention(q, k.slice(0, 0, 1).expand({2, 2, 9, 32}).transpose(1, 2), v.transpose(1, 2), {}), {}, arch,
             "expanded");
  expect_all(attention(q.slice(1, 0, 4), k.transpose(1, 2), v.transpose(1, 2), {.mask = mask}), {.mask = mask}, arch,
             "strided mask");
  expect_all(attention(random({2, 6, 32, 4}, t).transpose(2, 3), random({2, 9, 32, 2}, t).transpose(2, 3),
                       v.transpose(1, 2), {}),
             {}, arch, "last dim strided");
}

TEST_P(Attention, IsZeroWhereNothingIsSeenAndEmptyWhereThereIsNothing) {
  const auto [arch, t] = GetParam();
  at::Tensor mask = at::ones({3, 5}, at::kBool);
  mask[1].fill_(false);
  const Extras closed = {.mask = mask};
  expect_all(attention(random({1, 3, 2, 8}, t), random({1, 5, 2, 8}, t), random({1, 5, 2, 8}, t), closed), closed, arch,
             "closed row");
  const at::Tensor minus = at::zeros({3, 5}, t).masked_fill(mask.logical_not(), -INFINITY);
  const Extras infinite = {.mask = minus};
  expect_all(attention(random({1, 3, 2, 8}, t), random({1, 5, 2, 8}, t), random({1, 5, 2, 8}, t), infinite), infinite,
             arch, "-inf row");
  expect_all(attention(random({1, 3, 2, 8}, t), random({1, 0, 2, 8}, t), random({1, 0, 2, 8}, t), {}), {}, arch,
             "no keys");
  expect_all(attention(random({1, 0, 2, 8}, t), random({1, 5, 2, 8}, t), random({1, 5, 2, 8}, t), {}), {}, arch,
             "no queries");
  expect_all(attention(random({0, 3, 2, 8}, t), random({0, 5, 2, 8}, t), random({0, 5, 2, 8}, t), {}), {}, arch,
             "no batch");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Attention, variants({at::kFloat, at::kBFloat16, at::kHalf, at::kDouble}),
                         variant_name);

TEST(AttentionSelection, RefusalsNameTheLimit) {
  KernelCase row = attention(at::ones({1, 1, 2, 8}), at::ones({1, 3, 2, 8}), at::ones({1, 3, 2, 8}), {.softcap = 2.0});
  expect_says(refusal_of(implementation("GQADenseFwdOp", "sdpa", 0), spec_of(row, 0)), "softcap is 2");
  row.inputs[4].second = at::ones({1, 2});
  for (const char* key : {"aten", "sdpa", "vec"}) {
    expect_says(refusal_of(implementation("GQADenseFwdOp", key, 0), spec_of(row, 0)), "k_scale is given");
  }
}

}  // namespace
}  // namespace opyard::test
