// Routing tokens to experts and computing them, by aten: below float32 in float32, rounded once.
#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <lib/aten_operator.h>
#include <opyard/error.h>

#include <limits>

namespace opyard::kernels::OPYARD_ISA {
namespace {

struct Routing {
  std::int64_t top_k;
  bool sigmoid;
  bool renormalize;
  std::int64_t groups, kept_groups;
  double scale;

  static Routing of(const CallSpec& spec) {
    return {spec.param("top_k").get<std::int64_t>(),
            spec.param("scoring_func").get<std::string>() == "sigmoid",
            flag(spec, "renormalize"),
            spec.param("num_expert_group").get<std::int64_t>(),
            spec.param("topk_group").get<std::int64_t>(),
            number(spec.param("routed_scaling_factor"))};
  }
};

/// The `count` greatest along the last dim, greatest first; of equals the first, which aten's topk does not promise.
at::Tensor greatest(const at::Tensor& scores, std::int64_t count) {
  return std::get<1>(at::sort(scores, /*stable=*/true, /*dim=*/-1, /*descending=*/true)).narrow(-1, 0, count);
}

/// `choice` with minus infinity in all groups of experts but the best.
at::Tensor within_groups(const at::Tensor& choice, const Routing& how, bool biased) {
  const at::Tensor grouped = choice.view({choice.size(0), how.groups, -1});
  const at::Tensor score = biased ? std::get<0>(grouped.topk(2, -1)).sum(-1) : grouped.amax(-1);
  const at::Tensor kept =
      at::zeros_like(score, score.options().dtype(at::kBool)).scatter_(-1, greatest(score, how.kept_groups), true);
  return grouped.masked_fill(kept.logical_not().unsqueeze(-1), -std::numeric_limits<double>::infinity())
      .view(choice.sizes());
}

void fused_topk(KernelCall& call, const Routing& how) {
  const at::Tensor logits = call.input(0).to(at::kFloat);
  const at::Tensor scores = how.sigmoid ? logits.sigmoid() : logits.softmax(-1);
  const bool biased = call.has_input(1);
  at::Tensor choice = biased ? scores + call.input(1) : scores;
  if (how.groups > 1) {
    choice = within_groups(choice, how, biased);
  }
  const at::Tensor ids = greatest(choice, how.top_k);
  at::Tensor weights = scores.gather(-1, ids);
  if (how.renormalize) {
    weights.div_(weights.sum(-1, /*keepdim=*/true));
  }
  call.set_output(0, weights.mul_(how.scale).contiguous());
  call.set_output(1, ids.to(at::kInt).contiguous());
}

struct Experts {
  double scale;
  std::string activation;
  static Experts of(const CallSpec& spec) {
    return {number(spec.param("routed_scaling_factor")), spec.param("activation").get<std::string>()};
  }
};

at::Tensor activated(const at::Tensor& wide, const std::string& activation) {
  const std::int64_t width = wide.size(-1) / 2;
  if (activation == "swigluoai") {  // gate and up are neighbours
    const at::Tensor gate = wide.slice(-1, 0, std::nullopt, 2).clamp_max(7.0);
    const at::Tensor up = wide.slice(-1, 1, std::nullopt, 2).clamp(-7.0, 7.0);
    return gate * (gate * 1.702).sigmoid() * (up + 1.0);
  }
  const at::Tensor gate = wide.narrow(-1, 0, width), up = wide.narrow(-1, width, width);
  return (activation == "gelu_and_mul" ? at::gelu(gate) : at::silu(gate)) * up;
}

void check_experts(const at::Tensor& ids, std::int64_t experts) {
  if (ids.numel() == 0) {
    return;
  }
  const std::int64_t least = ids.min().item<std::int64_t>(), most = ids.max().item<std::int64_t>();
  if (least >= 0 && most < experts) {
    return;
  }
  throw SignatureError(SignatureError::Kind::kValue, "a token goes to an expert that there is not",
                       {.op = "FusedMoEExpertsFwdOp",
                        .argument = "topk_ids",
                        .expected = "0 <= id < " + std::to_string(experts),
                        .got = std::to_string(least < 0 ? least : most)});
}

void run_experts(KernelCall& call, const Experts& how) {
  const at::Tensor &hidden = call.input(0), &gate_up = call.input(1), &down = call.input(2);
  const at::Tensor ids = call.input(4).to(at::kLong).flatten();
  check_experts(ids, gate_up.size(0));
  const std::int64_t per_token = call.input(4).size(1);
  // The places of each expert's tokens, one expert behind the other.
  const at::Tensor places = at::argsort(ids, /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const at::Tensor counts = at::bincount(ids, {}, gate_up.size(0)).cpu();
  const at::Tensor tokens = places.div(per_token, "floor"), weights = call.input(3).flatten().index_select(0, places);
  const at::ScalarType wide = at::toOpMathType(hidden.scalar_type());
  at::Tensor sum = at::zeros(hidden.sizes(), hidden.options().dtype(wide));
  const auto bias = [&](std::size_t input, std::int64_t expert) {
    return call.has_input(input) ? std::optional<at::Tensor>(call.input(input)[expert].to(wide)) : std::nullopt;
  };
  const std::int64_t* count = counts.const_data_ptr<std::int64_t>();
  for (std::int64_t expert = 0, first = 0; expert < gate_up.size(0); first += count[expert++]) {
    if (count[expert] == 0) {
      continue;
    }
    const at::Tensor own = tokens.narrow(0, first, count[expert]);
    const at::Tensor projected =
        at::linear(hidden.index_select(0, own).to(wide), gate_up[expert].to(wide), bias(5, expert));
    const at::Tensor output = at::linear(activated(projected, how.activation), down[expert].to(wide), bias(6, expert));
    sum.index_add_(0, own, output * weights.narrow(0, first, count[expert]).unsqueeze(1).to(wide));
  }
  call.output(0).copy_(sum.mul_(how.scale));
}

void shared_expert(KernelCall& call, const NoParameters&) {
  const at::Tensor& hidden = call.input(0);
  const at::ScalarType wide = at::toOpMathType(hidden.scalar_type());
  const at::Tensor projected = at::linear(hidden.to(wide), call.input(1).to(wide));
  const at::Tensor output = at::linear(activated(projected, "silu_and_mul"), call.input(2).to(wide));
  call.set_output(0, output.to(hidden.scalar_type()).contiguous());
}

}  // namespace

std::vector<Implementation> moe_aten() {
  return {
      aten_operator("FusedTopKFwdOp", 20, fused_topk),
      aten_operator("FusedMoEExpertsFwdOp", 40, run_experts),
      aten_operator("SharedExpertMLPFwdOp", 20, shared_expert),
  };
}

}  // namespace opyard::kernels::OPYARD_ISA
