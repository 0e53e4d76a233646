// Routing tokens to experts, by aten.
#include <ATen/ATen.h>
#include <lib/aten_operator.h>

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

}  // namespace

std::vector<Implementation> moe_aten() { return {aten_operator("FusedTopKFwdOp", 20, fused_topk)}; }

}  // namespace opyard::kernels::OPYARD_ISA
