"""Linear layers over one input as one product: their weights laid out one behind the other in one storage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from opyard.models.conditions import Parameters

Gemm = Callable[..., Tensor]


def _may_be_laid_out(tensor: Tensor | None) -> bool:
    """Whether nobody but its own parameter can notice that this tensor moves to another storage."""
    return (
        type(tensor) is nn.Parameter
        and tensor.is_cpu
        and tensor.layout is torch.strided
        and tensor.is_contiguous()
        and not tensor.is_inference()
        and not tensor.untyped_storage().is_shared()
        and tensor.untyped_storage().nbytes() == tensor.nbytes
    )


class StackedLinear:
    """Nothing is copied to be kept: the parameters become views of the one storage, so that every write to them, also
    one through `.data`, is a write to the stack. A parameter that is given another storage ends it: the layers are then
    served one by one.
    """

    def __init__(self, linears: Sequence[nn.Linear], lay_out: bool) -> None:
        self._linears = tuple(linears)
        self.parameters: tuple[Parameters, ...] = tuple(linear._parameters for linear in linears)
        self.weight: Tensor | None = None
        self.bias: Tensor | None = None
        weights = [linear.weight for linear in linears]
        biases = [linear.bias for linear in linears if linear.bias is not None]
        whole = len(biases) in (0, len(weights)) and len({w.dtype for w in (*weights, *biases)}) == 1
        distinct = len({id(p) for p in (*weights, *biases)}) == len(weights) + len(biases)
        if lay_out and whole and distinct and all(_may_be_laid_out(p) for p in (*weights, *biases)):
            self.weight = _stack(weights)
            self.bias = _stack(biases) if biases else None
        self._addresses = tuple(w.data_ptr() for w in weights)
        self._bias_addresses = tuple(b.data_ptr() for b in biases)

    def is_current(self) -> bool:
        """Whether the stack still is what the layers' own parameters say."""
        # A graph cannot ask where a tensor lies: it is traced with the layers one by one.
        if self.weight is None or torch.compiler.is_compiling():
            return False
        if not self._bias_addresses and any(parameters["bias"] is not None for parameters in self.parameters):
            return False
        for parameters, address in zip(self.parameters, self._addresses):
            if parameters["weight"].data_ptr() != address:  # type: ignore[union-attr]
                return False
        for parameters, address in zip(self.parameters, self._bias_addresses):
            if (bias := parameters["bias"]) is None or bias.data_ptr() != address:
                return False
        return True

    def __call__(self, gemm: Gemm, x: Tensor) -> Tensor:
        """All the layers' outputs for rows x, side by side."""
        if self.is_current():
            return gemm(x, self.weight, self.bias)
        return torch.cat([gemm(x, p["weight"], p["bias"]) for p in self.parameters], 1)

    def weights(self) -> list[Tensor]:
        """The weights of the products that serve it."""
        return [linear.weight for linear in self._linears] if self.weight is None else [self.weight]

    def take_apart(self) -> None:
        """Gives each parameter a storage of its own again."""
        if self.is_current():
            with torch.inference_mode(False), torch.no_grad():
                for parameters in self.parameters:
                    for parameter in parameters.values():
                        if parameter is not None:
                            parameter.data = parameter.data.clone()
        self.weight = self.bias = None


def _stack(parameters: Sequence[Tensor]) -> Tensor:
    # Not as inference tensors, where `enable` is called in inference mode: no gradient could go through them later.
    with torch.inference_mode(False), torch.no_grad():
        stack = torch.cat([p.data for p in parameters])
        start = 0
        for parameter in parameters:
            parameter.data = stack[start : start + parameter.shape[0]]
            start += parameter.shape[0]
    return stack
