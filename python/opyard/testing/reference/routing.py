"""The right values of routing tokens to experts, a token at a time."""

from __future__ import annotations

import torch


def _best(scores: list[float], count: int) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:count]


def fused_topk(
    gating_output: torch.Tensor,
    correction_bias: torch.Tensor | None,
    top_k: int,
    scoring_func: str,
    renormalize: bool,
    num_expert_group: int,
    topk_group: int,
    routed_scaling_factor: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and numbers of the experts with the greatest scores; only the choice sees the bias."""
    scores = gating_output.sigmoid() if scoring_func == "sigmoid" else gating_output.softmax(-1)
    choice = scores if correction_bias is None else scores + correction_bias
    size = scores.shape[1] // num_expert_group
    weights, ids = [], []
    for row, choosing in zip(scores.tolist(), choice.tolist(), strict=True):
        groups = [choosing[start : start + size] for start in range(0, len(row), size)]
        of_group = [sum(sorted(g)[-2:]) if correction_bias is not None else max(g) for g in groups]
        kept = _best(of_group, topk_group) if num_expert_group > 1 else [0]
        experts = [g * size + i for g in sorted(kept) for i in range(size)]
        chosen = [experts[i] for i in _best([choosing[e] for e in experts], top_k)]
        total = sum(row[e] for e in chosen) if renormalize else 1.0
        weights.append([row[e] / total * routed_scaling_factor for e in chosen])
        ids.append(chosen)
    shape = (len(ids), top_k)
    return torch.tensor(weights, dtype=scores.dtype).view(shape), torch.tensor(ids, dtype=torch.int32).view(shape)
