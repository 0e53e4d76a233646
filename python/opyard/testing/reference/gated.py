"""Activations of one half of each row, times the other half."""

from __future__ import annotations

import torch


def silu_and_mul(*, input: torch.Tensor) -> torch.Tensor:
    """SiLU of the first half of the last dimension times the second half."""
    gate, up = input.chunk(2, dim=-1)
    return gate * torch.sigmoid(gate) * up
