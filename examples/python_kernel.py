"""An implementation in Python of an operator that opyard declares.

It states its limits as data and in `refusal`; selection sets it against the compiled ones.
"""

import torch

import opyard
from opyard.interfaces import SiLUAndMul
from opyard.ops import SiLUAndMulFwdOp


class ByTorch(opyard.Kernel, SiLUAndMul):
    devices = {"cpu"}
    preferred_over = {"vec"}

    def __init__(self, columns: int) -> None:
        self.columns = columns

    @classmethod
    def refusal(cls, call):
        return None if call.input.dtype is torch.float64 or call.input.shape[0] >= 2 else "is for two rows or more"

    @classmethod
    def entry_for(cls, call):
        columns = call.output.shape[-1]
        return columns, lambda: cls(columns)  # built once for each number of columns

    def forward(self, x):
        return torch.nn.functional.silu(x[:, : self.columns]) * x[:, self.columns :]


registration = opyard.register_kernel_type("SiLUAndMulFwdOp", "by_torch", ByTorch)

op = SiLUAndMulFwdOp()
x = torch.randn(3, 8)
print(op(x).shape, "served by", op.last_call.implementation)
print(opyard.explain(op, x[:1]))

registration.remove()  # for operators constructed from now on
