"""Matrix products."""

from __future__ import annotations

import torch


def gemm(
    *, a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None = None, trans_a: bool, trans_b: bool
) -> torch.Tensor:
    """The product of both matrices after the transpositions asked for, plus the bias."""
    product = (a.mT if trans_a else a) @ (b.mT if trans_b else b)
    return product if bias is None else product + bias
