"""An operator with a declaration and a body of its own, and two implementations that compete for its one interface."""

from abc import abstractmethod
from dataclasses import dataclass

import torch

import opyard


@dataclass(frozen=True)
class RowMaxCall(opyard.CallSpec):
    """Every fact that an implementation may read to refuse a call, or to build for it."""

    columns: int
    dtype: torch.dtype


class RowMaxInterface(opyard.KernelInterface):
    """x [rows, columns], contiguous; gives a new tensor [rows]. For no columns the behaviour is undefined."""

    request = RowMaxCall

    @abstractmethod
    def forward(self, x): ...


class Reduce(opyard.Kernel, RowMaxInterface):
    devices = {"cpu", "cuda"}
    general = True  # serves every call, and gives way to whoever serves it too

    @classmethod
    def entry_for(cls, call):
        return "any", cls  # one kernel for all calls

    def forward(self, x):
        return x.amax(-1)


class OneColumn(opyard.Kernel, RowMaxInterface):
    devices = {"cpu", "cuda"}

    @classmethod
    def refusal(cls, call):
        return None if call.columns == 1 else f"columns = {call.columns}, needs 1"

    @classmethod
    def entry_for(cls, call):
        return "any", cls

    def forward(self, x):
        return x[:, 0].clone()


class RowMaxFwdOp(opyard.Op):
    spec = {
        "family": "example",
        "signature": {
            "forall": {"M": "Dim", "N": "Dim", "T": "DType[float32 | float64]"},
            "inputs": {"x": {"dtype": "T", "shape": "[M, N]"}},
            "outputs": {"output": {"dtype": "T", "shape": "[M]"}},
            "shape_rules": [{"label": "a row has at least one column", "rule": "N > 0"}],
        },
    }
    kernel_types = {"reduce": Reduce, "one_column": OneColumn}
    interfaces = {"rows": RowMaxInterface}

    def __init__(self, *, target=None):
        super().__init__(target=target)

    def forward(self, x):
        call = RowMaxCall(x.device, x.shape[-1], x.dtype)
        return self.kernel_for("rows", call)(x.contiguous())


op = RowMaxFwdOp()
x = torch.randn(4, 3)
assert torch.equal(op(x), x.amax(-1))
assert torch.equal(op(x[:, :1]), x[:, 0])
assert torch.equal(torch.compile(op, fullgraph=True, backend="aot_eager")(x), x.amax(-1))
print(sorted(cls.__name__ for cls, _ in op.built_entries()["rows"]))
try:
    op(x[:, :0])
except ValueError as error:
    print(error)
