"""What two Python threads that call one operator get done, against one thread in the same run."""

from __future__ import annotations

import threading
import time
from typing import Any

import torch
from timing import figure

from opyard import _C
from opyard.ops import RMSNormFwdOp

ROUNDS = 8


def figures() -> list[dict[str, Any]]:
    return [
        figure("threads.python2_stub_ratio", _ratio(0.0, 100_000), "x"),
        figure("threads.python2_kernel5us_ratio", _ratio(5.0, 20_000), "x"),
    ]


def _ratio(microseconds: float, calls: int) -> float:
    weight, ready = torch.randn(4096), torch.empty(8, 4096)
    registration = _C.stub("RMSNormFwdOp", ready, microseconds)
    op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
    try:
        rounds = [(_throughput(op, weight, 1, calls), _throughput(op, weight, 2, calls)) for _ in range(ROUNDS)]
    finally:
        registration.remove()
    return max(two for _, two in rounds) / max(one for one, _ in rounds)


def _throughput(op: Any, weight: torch.Tensor, count: int, calls: int) -> float:
    """Calls a second of all threads together, from the first one's start to the last one's end."""
    barrier = threading.Barrier(count)
    begins, ends = [], []

    def work() -> None:
        x = torch.randn(8, 4096)
        op(x, weight)
        barrier.wait()
        begins.append(time.perf_counter())
        for _ in range(calls):
            op(x, weight)
        ends.append(time.perf_counter())

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count * calls / (max(ends) - min(begins))
