"""The conditions under which an exchanged forward serves a call; each reason is a constant, formatted nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

# A module's own parameters, as torch keeps them: read anew at every call, for they may be exchanged.
Parameters = Mapping[str, Tensor | None]

GRADIENT = "a gradient would be recorded, and the operators have no backward yet"
DEVICE = "the tensors are not on the CPU"
DTYPE = "the dtype is none of float32, bfloat16 and float16, or not the weights'"
AUTOCAST = "autocast is on"
SUBCLASS = "the input is a tensor subclass"

SERVED_DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def records_gradient(x: Tensor, modules: Iterable[Parameters]) -> bool:
    """Only asked while gradient mode is on."""
    if x.requires_grad:
        return True
    for parameters in modules:
        for parameter in parameters.values():
            if parameter is not None and parameter.requires_grad:
                return True
    return False


def unserved_reason(x: Tensor, weight_dtype: torch.dtype) -> str | None:
    """Why no operator serves an activation, whatever the module; None when one may."""
    if not x.is_cpu:
        return DEVICE
    if x.dtype is not weight_dtype or weight_dtype not in SERVED_DTYPES:
        return DTYPE
    if torch.is_autocast_enabled("cpu"):
        return AUTOCAST
    if type(x) is not Tensor and type(x) is not nn.Parameter:
        return SUBCLASS
    return None
