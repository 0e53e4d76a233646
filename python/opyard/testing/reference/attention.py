"""Attention, score by score."""

from __future__ import annotations

import math

import torch

from opyard.testing.reference.rope import rotate


def gqa_dense(
    *,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    rope_cos: torch.Tensor | None = None,
    rope_sin: torch.Tensor | None = None,
    sinks: torch.Tensor | None = None,
    mask: torch.Tensor | None = None,
    is_causal: bool,
    window_size_left: int,
    window_size_right: int,
    sm_scale: float | None,
    softcap: float | None,
    rope_layout: str,
    **_unused: object,
) -> torch.Tensor:
    """Softmax attention of [B, S, H, D] tensors; the last query stands at the last key."""
    queries, keys, group = q.shape[1], k.shape[1], q.shape[2] // k.shape[2]
    if rope_cos is not None and rope_sin is not None:
        cos, sin = rope_cos[:, None, :].to(q.dtype), rope_sin[:, None, :].to(q.dtype)
        offset = keys - queries
        q = rotate(q, cos[offset:keys], sin[offset:keys], rope_layout)
        k = rotate(k, cos[:keys], sin[:keys], rope_layout)
    k, v = k.repeat_interleave(group, dim=2), v.repeat_interleave(group, dim=2)
    scale = 1 / math.sqrt(max(q.shape[-1], 1)) if sm_scale is None else sm_scale
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    hidden = ~_seen(queries, keys, is_causal, window_size_left, window_size_right, q.device)
    return torch.einsum("bhqk,bkhd->bqhd", _weights(scores.masked_fill(hidden, -math.inf), sinks), v)


def _seen(queries: int, keys: int, causal: bool, left: int, right: int, device: torch.device) -> torch.Tensor:
    """Whether a query sees a key, [queries, keys]."""
    at = torch.arange(queries, device=device)[:, None] + (keys - queries)
    key = torch.arange(keys, device=device)[None, :]
    seen = torch.ones(queries, keys, dtype=torch.bool, device=device)
    if causal:
        seen &= key <= at
    if left >= 0:
        seen &= key >= at - left
    if right >= 0:
        seen &= key <= at + right
    return seen


def _weights(scores: torch.Tensor, sinks: torch.Tensor | None) -> torch.Tensor:
    """Softmax over keys, with one more logit a head where there are sinks; a query that sees nothing weighs nothing."""
    if sinks is not None:
        logits = sinks.to(scores.dtype)[None, :, None, None].expand(*scores.shape[:-1], 1)
        return torch.softmax(torch.cat([scores, logits], dim=-1), dim=-1)[..., :-1]
    empty = torch.isneginf(scores).all(dim=-1, keepdim=True)
    return torch.softmax(scores, dim=-1).masked_fill(empty, 0)
