"""Compiles a model with an operator of opyard ahead of time, for examples/cpp/aot_inductor.cpp: no Python runs it.

python export_for_cpp.py model.pt2
"""

from __future__ import annotations

import sys

import torch

from opyard.ops import RMSNormFwdOp

HIDDEN = 64


class Gate(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = RMSNormFwdOp(normalized_shape=[HIDDEN], eps=1e-6)
        self.weight = torch.nn.Parameter(torch.linspace(0.5, 1.5, HIDDEN), requires_grad=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(self.norm(x, self.weight)) * x


def main(path: str) -> None:
    rows = torch.export.Dim("rows", max=4096)
    program = torch.export.export(Gate(), (torch.randn(3, HIDDEN),), dynamic_shapes={"x": {0: rows}})
    torch._inductor.aoti_compile_and_package(program, package_path=path)


if __name__ == "__main__":
    main(sys.argv[1])
