"""The rotary embedding: positions in place of cosines and sines, so that the operator rotates queries and keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from opyard.models.conditions import unserved_reason
from opyard.models.exchanged_forward import ExchangedForward
from opyard.models.fall_through import FallThrough

OUT_OF_RANGE = "a position is negative or beyond max_position_embeddings"


class Step:
    """What one forward of a model found out for all of its layers. An original forward unpacks it as (cos, sin)."""

    def __init__(self, rotary: RotaryForward, x: Tensor, position_ids: Tensor, positions: Tensor | None) -> None:
        self.positions = positions
        self.recording = torch.is_grad_enabled()
        self._rotary = rotary
        self._x = x
        self._position_ids = position_ids
        self._pair: tuple[Tensor, Tensor] | None = None

    def pair(self) -> tuple[Tensor, Tensor]:
        if self._pair is None:
            self._pair = self._rotary.original(self._x, self._position_ids)
        return self._pair

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.pair())

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Tensor:
        return self.pair()[index]


def rotary_base(module: Any) -> float | str:
    """The base that the operator computes this module's angles from, or why it computes none of them."""
    rope_type = getattr(module, "rope_type", "default")
    if rope_type != "default":
        return f"rope_type {rope_type!r} is not served: RoPENeoxPositionIdsFwdOp knows the default angles"
    # transformers 4 keeps the base beside the other settings, 5 among those of the rotary embedding.
    settings: Any = getattr(module.config, "rope_parameters", None) or vars(module.config)
    base = float(settings["rope_theta"])
    frequencies = module.inv_freq
    exponents = torch.arange(0, 2 * frequencies.numel(), 2, dtype=torch.float32) / (2 * frequencies.numel())
    expected = base**-exponents
    if frequencies.is_meta or not torch.allclose(frequencies.float().cpu(), expected, rtol=1e-5, atol=0):
        return "its inverse frequencies are not those of its rope_theta"
    if getattr(module, "attention_scaling", 1.0) != 1.0:
        return "its attention_scaling is not 1"
    return base


class RotaryForward(ExchangedForward):
    """Runs once in each forward of the model, before its layers: what it checks, they need not check again."""

    def __init__(
        self, module: Any, path: str, fall_through: FallThrough, projection: nn.Module, refusal: str | None
    ) -> None:
        super().__init__(module, path, fall_through)
        self.parameters = projection._parameters
        self.refusal = refusal
        self.max_position: int = module.config.max_position_embeddings

    def __call__(self, x: Tensor, position_ids: Tensor) -> Any:
        weight: Any = self.parameters["weight"]
        reason = unserved_reason(x, weight.dtype)
        if reason is not None:
            return self.fall(reason, x, position_ids)
        reason = self.refusal
        positions = None
        if reason is None:
            ids = position_ids if position_ids.shape[0] == x.shape[0] else position_ids.expand(x.shape[0], -1)
            positions = ids.reshape(-1)
            if not torch.compiler.is_compiling() and not self._in_range(positions):
                reason, positions = OUT_OF_RANGE, None
        if reason is not None:
            self.fall_through.count(self.path, reason)
        return Step(self, x, position_ids, positions)

    def _in_range(self, positions: Tensor) -> bool:
        if positions.numel() == 0:
            return True
        low, high = torch.aminmax(positions)
        return int(low) >= 0 and int(high) < self.max_position
