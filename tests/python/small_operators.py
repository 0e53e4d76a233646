"""Small operators with bodies, kernels and sub-operators, for tests of an operator's life."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import torch

import opyard

ROW_SCALE = {
    "family": "probe",
    "signature": {
        "forall": {"M": "Dim", "N": "Dim", "T": "DType[float16 | bfloat16 | float32 | float64]"},
        "params": {"factor": {"type": "float", "default": 1.0}},
        "inputs": {
            "x": {"dtype": "T", "shape": "[M, N]"},
            "scale": {"dtype": "T", "shape": "[N]"},
            "bias": {"dtype": "T", "shape": "[N]", "optional": True},
        },
        "outputs": {"output": {"dtype": "T", "shape": "[M, N]"}},
        "shape_rules": [{"label": "factor must not be negative", "rule": "factor >= 0"}],
    },
}


def row_scale(x: torch.Tensor, scale: torch.Tensor, bias: torch.Tensor | None, factor: float) -> torch.Tensor:
    return x * scale * factor + (0 if bias is None else bias)


@dataclass(frozen=True)
class RowScaleCall(opyard.CallSpec):
    n: int
    dtype: torch.dtype
    has_bias: bool = False


class RowScaleInterface(opyard.KernelInterface):
    """x [M, N], scale [N], contiguous; bias exactly if has_bias; gives a new tensor."""

    request = RowScaleCall

    @abstractmethod
    def forward(self, x, scale, factor, *, bias): ...


class Rows(opyard.Kernel, RowScaleInterface):
    """The general one. Counts its builds and runs."""

    devices = {"cpu"}
    general = True
    builds = 0
    runs = 0
    broken: BaseException | None = None

    def __init__(self, n: int, dtype: torch.dtype) -> None:
        type(self).builds += 1
        self.n, self.dtype = n, dtype

    @classmethod
    def entry_for(cls, call):
        return (call.n, call.dtype), lambda: cls(call.n, call.dtype)

    def forward(self, x, scale, factor, *, bias):
        type(self).runs += 1
        if self.broken is not None:
            raise self.broken
        return row_scale(x, scale, bias, factor)


class Wide(Rows):
    general = False

    @classmethod
    def refusal(cls, call):
        return f"n = {call.n}, needs 64" if call.n < 64 else super().refusal(call)


class RowScaleFwdOp(opyard.Op):
    spec = ROW_SCALE
    kernel_types = {"rows": Rows, "wide": Wide}
    interfaces = {"scale": RowScaleInterface}

    def __init__(self, factor=1.0, *, target=None):
        self.factor = factor
        super().__init__(target=target)

    def forward(self, x, scale, bias=None):
        call = RowScaleCall(x.device, x.shape[-1], x.dtype, bias is not None)
        return self.kernel_for("scale", call)(x.contiguous(), scale, self.factor, bias=bias)


TWO_SCALES = {
    "family": "probe",
    "signature": {**ROW_SCALE["signature"]},
    "composition": {
        "kind": "composite",
        "stages": {"first": {"op": "RowScaleFwdOp"}, "second": {"op": "RowScaleFwdOp", "optional": True}},
    },
}


class TwoScalesFwdOp(opyard.Op):
    """Scales twice, by sub-operators of its own; the second one may be injected."""

    spec = TWO_SCALES
    delegate_types = {"first": RowScaleFwdOp, "second": RowScaleFwdOp}
    injected_parameters = ("second",)
    fails = False

    def __init__(self, factor=1.0, second=None, *, target=None):
        self.factor = factor
        self.second = second
        super().__init__(target=target)
        self.delegate_for("first", None, factor=factor)
        self.delegate_for("second", None, second, factor=factor)

    def forward(self, x, scale, bias=None):
        first, second = self.held_delegates()
        y = second(first(x, scale), scale, bias)
        if self.fails:
            raise ValueError("the composite fails")
        return y


def fresh(cls: type[opyard.Op], name: str, **members: object) -> type[opyard.Op]:
    """A class like `cls` with a name and a declaration of its own, so that a test may register for it."""
    spec = {**cls.spec, "family": "probe"}
    return type(name, (cls,), {"spec": spec, "__module__": __name__, **members})
