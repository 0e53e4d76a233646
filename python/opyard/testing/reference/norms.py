"""The right values of normalisations that keep or return statistics."""

from __future__ import annotations

import torch
from torch.nn import functional

Optional = torch.Tensor | None


def batch_norm(
    input: torch.Tensor,
    running_mean: Optional,
    running_var: Optional,
    weight: Optional,
    bias: Optional,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[torch.Tensor, Optional, Optional]:
    """The output, and in training the batch's mean and inverse deviation; running statistics are written in place."""
    wide = [None if given is None else given.to(input.dtype) for given in (running_mean, running_var, weight, bias)]
    mean, var, scale, shift = wide
    # torch's function cannot be asked about no channels.
    none = input.size(1) == 0
    output = input.clone() if none else functional.batch_norm(input, mean, var, scale, shift, training, momentum, eps)
    if not training:
        return output, None, None
    if running_mean is not None and mean is not None:
        running_mean.copy_(mean)
    if running_var is not None and var is not None:
        running_var.copy_(var)
    dims = [dim for dim in range(input.dim()) if dim != 1]
    variance = input.var(dims, correction=0)
    return output, input.mean(dims), (variance + eps).rsqrt()


def batch_norm_backward(
    doutput: torch.Tensor,
    input: torch.Tensor,
    save_mean: torch.Tensor,
    save_invstd: torch.Tensor,
    weight: Optional,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of input, weight and bias, from the formula of a batch norm over the saved statistics."""
    dims = [dim for dim in range(input.dim()) if dim != 1]
    shape = [-1 if dim == 1 else 1 for dim in range(input.dim())]
    count = input.numel() / max(input.size(1), 1)
    mean, invstd = save_mean.to(input.dtype).view(shape), save_invstd.to(input.dtype).view(shape)
    scale = invstd if weight is None else invstd * weight.to(input.dtype).view(shape)
    normal = (input - mean) * invstd
    dweight, dbias = (doutput * normal).sum(dims), doutput.sum(dims)
    dinput = scale * (doutput - (normal * dweight.view(shape) + dbias.view(shape)) / max(count, 1))
    return dinput, dweight, dbias
