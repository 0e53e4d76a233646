"""The right values of position encodings that are made of sizes alone, in float64."""

from __future__ import annotations

from typing import Any

import torch


def alibi(seq_len: int, num_heads: int, out_dtype: torch.dtype, **_: Any) -> torch.Tensor:
    """For head h, minus 2^(-8 (h + 1) / num_heads) times the distance of two positions."""
    slopes = 2.0 ** (-8.0 * torch.arange(1, num_heads + 1, dtype=torch.float64) / num_heads)
    positions = torch.arange(seq_len, dtype=torch.float64)
    return (-slopes[:, None, None] * (positions[None, :, None] - positions).abs()).to(out_dtype)


def sinusoidal(seq_len: int, d_model: int, out_dtype: torch.dtype, **_: Any) -> torch.Tensor:
    """Sine in the even columns and cosine in the odd ones of position / 10000^(2 i / d_model)."""
    waves = 10000.0 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(seq_len, dtype=torch.float64)[:, None] / waves
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1).to(out_dtype)
