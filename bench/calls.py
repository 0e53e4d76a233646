"""What the runtime itself costs a call from Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch
from timing import figure, loop

from opyard import _C
from opyard.ops import BatchNormFwdOp, RMSNormFwdOp, SumFwdOp

SHAPES = 10_000


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

    return [
        figure("call.python.stub_ns", stub * 1e9, "ns"),
        figure("construct_us", _construct(lambda: RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)) * 1e6, "us"),
        figure("construct.effects_us", _construct(BatchNormFwdOp) * 1e6, "us"),
        figure("first_call_us", _first_call(x, weight) * 1e6, "us"),
        *_many_shapes(),
    ]


def _many_shapes() -> list[dict[str, Any]]:
    """Calls whose shape no cache holds: many in rotation, and shapes that never came before."""
    registration = _C.stub("SumFwdOp", torch.tensor(0.0))
    op = SumFwdOp()
    source = torch.empty(SHAPES * 12)

    def once(width: int) -> float:
        inputs = [source.as_strided((n, width), (width, 1)) for n in range(1, SHAPES + 1)]
        start = time.perf_counter()
        for x in inputs:
            op(x)
        return (time.perf_counter() - start) / SHAPES

    once(1)
    rotating = min(once(1) for _ in range(5))
    fresh = min(once(width) for width in range(2, 12))
    registration.remove()
    return [
        figure("call.python.rotating_ns", rotating * 1e9, "ns"),
        figure("call.python.new_shape_ns", fresh * 1e9, "ns"),
    ]


def _construct(make: Callable[[], Any]) -> float:
    """Seconds of a construction, the least of several rounds."""
    count = 500
    rounds = []
    for _ in range(6):
        start = time.perf_counter()
        for _i in range(count):
            make()
        rounds.append((time.perf_counter() - start) / count)
    return min(rounds)


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
