"""Gated SiLU MLPs: one product for gate and up, SiLUAndMulFwdOp, one product down."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from opyard.models.conditions import GRADIENT, records_gradient, unserved_reason
from opyard.models.exchanged_forward import ExchangedForward
from opyard.models.fall_through import FallThrough
from opyard.models.inside import Inside, is_plain_linear
from opyard.models.stacked_linear import StackedLinear

LINEARS = ("gate_proj", "up_proj", "down_proj")


def unserved_mlp(module: nn.Module) -> str | None:
    """Why an MLP module is never served; None when it may be."""
    if type(module.act_fn).__name__ not in ("SiLU", "SiLUActivation"):
        return "its activation is not SiLU"
    if not all(is_plain_linear(module._modules[name]) for name in LINEARS):
        return "its projections are not plain nn.Linear modules"
    return None


class MlpForward(ExchangedForward):
    def __init__(
        self, module: Any, path: str, fall_through: FallThrough, gemm: Any, silu_and_mul: Any, lay_out: bool
    ) -> None:
        super().__init__(module, path, fall_through)
        self.gemm = gemm
        self.silu_and_mul = silu_and_mul
        self.gate_up = StackedLinear((module.gate_proj, module.up_proj), lay_out)
        self.down = module.down_proj._parameters
        self.parameters = (*self.gate_up.parameters, self.down)
        self.inside = Inside(module, (*LINEARS, "act_fn"))

    def __call__(self, x: Tensor) -> Tensor:
        weight: Any = self.down["weight"]
        reason = self.inside.changed() or unserved_reason(x, weight.dtype)
        if reason is None and torch.is_grad_enabled() and records_gradient(x, self.parameters):
            reason = GRADIENT
        if reason is not None:
            return self.fall(reason, x)  # type: ignore[no-any-return]
        return self.serve(x.reshape(-1, x.shape[-1])).view(*x.shape[:-1], weight.shape[0])

    def serve(self, x: Tensor) -> Tensor:
        """Rows to rows."""
        gate_up = self.gate_up(self.gemm, x)
        down = self.down
        return self.gemm(self.silu_and_mul(gate_up), down["weight"], down["bias"])  # type: ignore[no-any-return]

    def take_out(self) -> None:
        self.gate_up.take_apart()
        super().take_out()
