"""Rotary position embeddings."""

from __future__ import annotations

import torch


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, layout: str) -> torch.Tensor:
    """Rotates pairs of the first `2 * cos.shape[-1]` columns; the rest stays. `cos` and `sin` broadcast over heads."""
    columns = 2 * cos.shape[-1]
    turned, rest = x[..., :columns], x[..., columns:]
    if layout == "neox":
        first, second = turned.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], dim=-1)
    first, second = turned[..., 0::2], turned[..., 1::2]
    pairs = torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return torch.cat([pairs.flatten(-2), rest], dim=-1)


def rope_neox_position_ids(
    *, x: torch.Tensor, positions: torch.Tensor, max_position: int, base: float, rotary_dim: int | None
) -> torch.Tensor:
    """Angles of position * base ** (-2 i / R), in float64 and rounded once to the dtype of x."""
    columns = x.shape[-1] if rotary_dim is None else rotary_dim
    exponents = torch.arange(0, columns, 2, dtype=torch.float64, device=x.device) / columns
    angles = (positions.double()[:, None] * base**-exponents)[:, None, :]
    return rotate(x, angles.cos().to(x.dtype), angles.sin().to(x.dtype), "neox")
