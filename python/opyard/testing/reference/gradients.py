"""The right values of backward operators: torch's own autograd over the references of the forward operators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from opyard.testing.reference import attention, row_rotations
from opyard.testing.reference import rope as neox
from opyard.testing.reference.gated import silu_and_mul as gated

Optional = torch.Tensor | None


def _gradients(
    function: Callable[..., Any], inputs: Sequence[Optional], upstream: Sequence[torch.Tensor]
) -> tuple[Optional, ...]:
    """One for each input that is present; zeros where the function does not use it."""
    leaves = [None if given is None else given.detach().clone().requires_grad_() for given in inputs]
    with torch.enable_grad():
        value = function(*leaves)
    values = value if isinstance(value, tuple) else (value,)
    wanted = [leaf for leaf in leaves if leaf is not None]
    made = torch.autograd.grad(values, wanted, upstream, allow_unused=True, materialize_grads=True)
    by_leaf = iter(made)
    return tuple(None if leaf is None else next(by_leaf) for leaf in leaves)


def rms_norm(
    doutput: torch.Tensor,
    x: torch.Tensor,
    weight: Optional,
    normalized_shape: Sequence[int],
    eps: Any,
    needs_weight: bool,
) -> tuple[Optional, ...]:
    dx, dweight = _gradients(lambda x, w: functional.rms_norm(x, normalized_shape, w, eps), (x, weight), [doutput])
    return dx, dweight if needs_weight else None


def layer_norm(
    doutput: torch.Tensor,
    input: torch.Tensor,
    weight: Optional,
    normalized_shape: Sequence[int],
    eps: Any,
    needs_weight: bool,
    needs_bias: bool,
) -> tuple[Optional, ...]:
    bias = torch.zeros(tuple(normalized_shape), dtype=input.dtype)
    dinput, dweight, dbias = _gradients(
        lambda x, w, b: functional.layer_norm(x, normalized_shape, w, b, eps), (input, weight, bias), [doutput]
    )
    return dinput, dweight if needs_weight else None, dbias if needs_bias else None


def fused_add_rms_norm(
    doutput: torch.Tensor,
    dresidual_out: torch.Tensor,
    residual_out: torch.Tensor,
    weight: Optional,
    eps: Any,
    needs_weight: bool,
) -> tuple[Optional, ...]:
    dsum, dweight = _gradients(
        lambda x, w: (functional.rms_norm(x, w.shape, w, eps), x.clone()),
        (residual_out, weight),
        [doutput, dresidual_out],
    )
    return dsum, dweight if needs_weight else None


def fused_add_layer_norm(
    doutput: torch.Tensor,
    dresidual_out: torch.Tensor,
    residual_out: torch.Tensor,
    weight: torch.Tensor,
    eps: Any,
    needs_weight: bool,
    needs_bias: bool,
) -> tuple[Optional, ...]:
    dsum, dweight, dbias = _gradients(
        lambda x, w, b: (functional.layer_norm(x, w.shape, w, b, eps), x.clone()),
        (residual_out, weight, torch.zeros_like(weight)),
        [doutput, dresidual_out],
    )
    return dsum, dweight if needs_weight else None, dbias if needs_bias else None


def gemm(
    dd: torch.Tensor,
    a: torch.Tensor,
    b: torch.Tensor,
    trans_a: bool,
    trans_b: bool,
    needs_a: bool,
    needs_b: bool,
    needs_bias: bool,
) -> tuple[Optional, ...]:
    def product(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return (a.mT if trans_a else a) @ (b.mT if trans_b else b) + bias

    bias = torch.zeros(dd.size(1), dtype=dd.dtype)
    made = _gradients(product, (a, b, bias), [dd])
    return tuple(gradient if needed else None for gradient, needed in zip(made, (needs_a, needs_b, needs_bias)))


def bmm(dd: torch.Tensor, a: torch.Tensor, b: torch.Tensor, needs_a: bool, needs_b: bool) -> tuple[Optional, ...]:
    da, db = _gradients(torch.bmm, (a, b), [dd])
    return da if needs_a else None, db if needs_b else None


def silu_and_mul(doutput: torch.Tensor, input: torch.Tensor) -> tuple[Optional, ...]:
    return _gradients(lambda x: gated(input=x), (input,), [doutput])


def softmax(doutput: torch.Tensor, output: torch.Tensor, dim: int | None, logarithm: bool) -> torch.Tensor:
    """By the Jacobian, since no input is at hand: that of y is diag(y) - y y^T, of its logarithm 1 - 1 y^T."""
    if dim is None:
        dim = 0 if output.dim() in (0, 1, 3) else 1
    if logarithm:
        return doutput - output.exp() * doutput.sum(dim, keepdim=True)
    return output * doutput - output * (output * doutput).sum(dim, keepdim=True)


_UNARY: dict[str, Callable[..., torch.Tensor]] = {
    "log": torch.log,
    "log1p": torch.log1p,
    "abs": torch.abs,
    "neg": torch.neg,
    "sin": torch.sin,
    "cos": torch.cos,
    "erf": torch.erf,
    "silu": functional.silu,
    "hardswish": functional.hardswish,
    "hardsigmoid": functional.hardsigmoid,
    "mish": functional.mish,
    "selu": functional.selu,
    "zero": lambda x: x * 0,
    "nan_to_num": torch.nan_to_num,
}
# Given their output y: the inverse function gives the input back, and its derivative is the reciprocal.
_OF_OUTPUT: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp": lambda y: y,
    "expm1": lambda y: y + 1,
    "sqrt": lambda y: 0.5 / y,
    "rsqrt": lambda y: -0.5 * y * y * y,
    "reciprocal": lambda y: -y * y,
    "sigmoid": lambda y: y * (1 - y),
    "tanh": lambda y: 1 - y * y,
    "relu": lambda y: (y > 0).to(y.dtype),
}


def elementwise_unary(
    doutput: torch.Tensor,
    saved: torch.Tensor,
    function: str,
    first: Any,
    second: Any,
    approximate: str,
) -> torch.Tensor | tuple[Optional, ...]:
    if function in _OF_OUTPUT:
        return doutput * _OF_OUTPUT[function](saved)
    numbers: dict[str, Callable[..., torch.Tensor]] = {
        "gelu": lambda x: functional.gelu(x, approximate=approximate),
        "elu": lambda x: functional.elu(x, first),
        "leaky_relu": lambda x: functional.leaky_relu(x, first),
        "hardtanh": lambda x: functional.hardtanh(x, first, second),
        "softplus": lambda x: functional.softplus(x, first, second),
        "clamp": lambda x: x.clamp(first, second) if first is not None or second is not None else x.clone(),
    }
    return _gradients(numbers.get(function) or _UNARY[function], (saved,), [doutput])


def elementwise_binary(
    doutput: torch.Tensor,
    input: torch.Tensor,
    other: torch.Tensor,
    function: str,
    rounding_mode: str | None,
    needs_input: bool,
    needs_other: bool,
) -> tuple[Optional, ...]:
    functions: dict[str, Callable[..., torch.Tensor]] = {
        "mul": torch.mul,
        "div": functools.partial(torch.div, rounding_mode=rounding_mode),
        "pow": torch.pow,
        "maximum": torch.maximum,
        "minimum": torch.minimum,
        "remainder": torch.remainder,
        "prelu": functional.prelu,
    }
    dinput, dother = _gradients(functions[function], (input, other), [doutput])
    return dinput if needs_input else None, dother if needs_other else None


def elementwise_linear(
    doutput: torch.Tensor, function: str, number: float, needs_input: bool, needs_other: bool
) -> tuple[Optional, ...]:
    factors = {"add": (1, number), "sub": (1, -number), "lerp": (1 - number, number)}[function]
    return doutput * factors[0] if needs_input else None, doutput * factors[1] if needs_other else None


def rope_neox_position_ids(doutput: torch.Tensor, positions: torch.Tensor, **parameters: Any) -> tuple[Optional, ...]:
    return _gradients(
        lambda x: neox.rope_neox_position_ids(x=x, positions=positions, **parameters), (doutput,), [doutput]
    )


def rope(doutput: torch.Tensor, **parameters: Any) -> tuple[Optional, ...]:
    return _gradients(lambda x: row_rotations.rope(x=x, **parameters), (doutput,), [doutput])


def rope_llama31(doutput: torch.Tensor, **parameters: Any) -> tuple[Optional, ...]:
    return _gradients(lambda x: row_rotations.rope_llama31(x=x, **parameters), (doutput,), [doutput])


def yarn(doutput: torch.Tensor, **parameters: Any) -> tuple[Optional, ...]:
    return _gradients(lambda x: row_rotations.yarn(x=x, **parameters), (doutput,), [doutput])


def gqa_dense(
    do: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    rope_cos: Optional,
    rope_sin: Optional,
    sinks: Optional,
    mask: Optional,
    **parameters: Any,
) -> tuple[Optional, ...]:
    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attention.gqa_dense(
            q=q,
            k=k,
            v=v,
            q_scale=None,
            k_scale=None,
            v_scale=None,
            rope_cos=rope_cos,
            rope_sin=rope_sin,
            sinks=sinks,
            mask=mask,
            **parameters,
        )

    return _gradients(attend, (q, k, v), [do])
