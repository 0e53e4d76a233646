"""Times the candidates for a model's own matrix products; the choice then stays for the process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from opyard import _C, ops

# Rows of a decode step and of a prompt: between them, the choice of implementation changes.
_ROWS = (1, 64)
_DTYPES = (torch.float32, torch.bfloat16, torch.float16)
# A product larger than this would take the whole budget once; the declared preference stands for it.
_MOST_OPERATIONS = 1e9
# Enough different weights that caches hold no more of them than while the model runs.
_MOST_WEIGHTS = 8


def measure_products(weights: Mapping[tuple[int, int], Sequence[Tensor]], budget_s: float) -> None:
    """`weights` by shape (N, K). About `budget_s` seconds in all: where a busy machine uses them up, the declared
    preference stands for the products that are left.
    """
    deadline = time.perf_counter() + budget_s
    products = [
        (rows, alike)
        for alike in weights.values()
        for rows in _ROWS
        if alike[0].is_cpu and alike[0].dtype in _DTYPES and 2.0 * rows * alike[0].numel() <= _MOST_OPERATIONS
    ]
    gemm = ops.GEMMFwdOp()
    # The same product as aten::mm gives it: the transposed weight is a view.
    routed = ops.GEMMFwdOp(trans_b=False)
    with torch.no_grad():
        for rows, alike in products:
            if time.perf_counter() > deadline:
                return
            x = torch.randn(rows, alike[0].shape[1]).to(alike[0].dtype)
            calls = [(x, weight.detach(), None) for weight in alike[:_MOST_WEIGHTS]]
            chosen, _ = _C.measure(gemm, calls, budget_s / len(products))
            _C.fix_measured(routed, (x, alike[0].detach().t(), None), chosen)
