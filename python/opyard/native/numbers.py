"""Numbers that stand where aten declares a tensor, as `x * 0.5` in a graph: no other operator takes them there."""

from __future__ import annotations

from typing import Any

import torch
from torch._ops import OpOverload


def tensors_for_numbers(overload: OpOverload, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The arguments with such numbers as 0-dim tensors; None where no tensor can stand for one.

    A tensor of dims decides the result's dtype over a 0-dim tensor of its kind as over a number, so the tensor gets the
    widest dtype of the result's kind that does not change it.
    """
    declared = overload._schema.arguments
    stands = [
        i
        for i, value in enumerate(args)
        if _is_number(value) and str(declared[i].type) in ("Tensor", "Optional[Tensor]")
    ]
    if not stands:
        return args
    other = next((value for value in args if isinstance(value, torch.Tensor)), None)
    if other is None or other.ndim == 0 or any(isinstance(args[i], torch.SymInt | torch.SymFloat) for i in stands):
        return None
    filled = list(args)
    for i in stands:
        dtype = torch.result_type(other, args[i])
        if dtype.is_floating_point and dtype != torch.float64:
            dtype = torch.float32
        filled[i] = torch.scalar_tensor(args[i], dtype=dtype)
    return tuple(filled)


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex | torch.SymInt | torch.SymFloat)
