"""What the runtime itself costs a call from Python."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import torch
from timing import figure, loop

from opyard import _C
from opyard.ops import RMSNormFwdOp


def figures() -> list[dict[str, Any]]:
    x = torch.randn(8, 4096, dtype=torch.bfloat16)
    weight = torch.randn(4096, dtype=torch.bfloat16)
    ready = torch.empty_like(x)
    registration = _C.stub("RMSNormFwdOp", ready)
    op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)

    def empty(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return ready

    op(x, weight)
    rounds = [(loop(op, (x, weight), 20000), loop(empty, (x, weight), 20000)) for _ in range(25)]
    registration.remove()
    stub = min(a for a, _ in rounds) - min(b for _, b in rounds)

    start = time.perf_counter()
    count = 2000
    for _i in range(count):
        RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
    construct = (time.perf_counter() - start) / count
    return [
        figure("call.python.stub_ns", stub * 1e9, "ns"),
        figure("construct_us", construct * 1e6, "us"),
        figure("first_call_us", _first_call(x, weight) * 1e6, "us"),
    ]


def _first_call(x: torch.Tensor, weight: torch.Tensor) -> float:
    """Seconds of a first call beyond those of a second one; each instance is constructed unlike the others."""
    ops = [RMSNormFwdOp(normalized_shape=[4096], eps=1e-6 * (2 + i)) for i in range(200)]
    first, second = [], []
    for op in ops:
        for seconds in (first, second):
            start = time.perf_counter()
            op(x, weight)
            seconds.append(time.perf_counter() - start)
    return median(first) - median(second)
