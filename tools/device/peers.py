"""The functions of a row that are compared, and who else computes them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from opyard.ops import FusedAddRMSNormFwdOp, LayerNormFwdOp, RMSNormFwdOp, SoftmaxFwdOp

F = torch.nn.functional
Call = Callable[[], Any]
_EPS = 1e-6


@dataclass(frozen=True)
class Case:
    """How many tensors of rows and of one row it takes, and how many of rows are read or written."""

    name: str
    rows: int
    parts: int
    tensors_moved: int
    operator: Callable[[int], Any]
    eager: Callable[..., Any]
    liger: tuple[str, str, tuple[Any, ...]]

    def arguments(self, count: int, columns: int) -> list[torch.Tensor]:
        shapes = [(count, columns)] * self.rows + [(columns,)] * self.parts
        return [torch.randn(*shape, device="cuda", dtype=torch.bfloat16) for shape in shapes]

    def peers(self, columns: int, arguments: list[torch.Tensor]) -> dict[str, Call]:
        torch.compiler.reset()
        compiled = torch.compile(self.eager, dynamic=False)
        calls: dict[str, Call] = {
            "eager": lambda: self.eager(*arguments),
            "inductor": lambda: compiled(*arguments),
        }
        module, function, rest = self.liger
        try:
            apply = getattr(importlib.import_module(f"liger_kernel.ops.{module}"), function).apply
            apply(*arguments, *rest)
        except (ImportError, AttributeError):
            return calls  # not installed, or a version without it
        calls["liger"] = lambda: apply(*arguments, *rest)
        return calls


def _rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(x, weight.shape, weight, _EPS)


def _layer_norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, weight.shape, weight, bias, _EPS)


def _add_rms_norm(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    total = x + residual
    return F.rms_norm(total, weight.shape, weight, _EPS), total


def _softmax(x: torch.Tensor) -> torch.Tensor:
    return x.softmax(-1)


def cases() -> list[Case]:
    return [
        Case(
            "rms_norm",
            1,
            1,
            2,
            lambda n: RMSNormFwdOp(normalized_shape=[n], eps=_EPS),
            _rms_norm,
            ("rms_norm", "LigerRMSNormFunction", (_EPS, 0.0, "llama", False)),
        ),
        Case(
            "layer_norm",
            1,
            2,
            2,
            lambda n: LayerNormFwdOp(normalized_shape=[n], eps=_EPS),
            _layer_norm,
            ("layer_norm", "LigerLayerNormFunction", (_EPS,)),
        ),
        Case(
            "add_rms_norm",
            2,
            1,
            4,
            lambda n: FusedAddRMSNormFwdOp(eps=_EPS),
            _add_rms_norm,
            ("fused_add_rms_norm", "LigerFusedAddRMSNormFunction", (_EPS, 0.0, "llama", False)),
        ),
        Case(
            "softmax",
            1,
            0,
            2,
            lambda n: SoftmaxFwdOp(dim=-1),
            _softmax,
            ("softmax", "LigerSoftmaxFunction", ()),
        ),
    ]
