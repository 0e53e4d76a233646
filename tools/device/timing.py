"""How a GPU's work and the host's part of it are timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch


def terabytes(call: Callable[[], Any], moved: int, rep: int = 100) -> float:
    """Read and written in a second, with the cache emptied before each call: the median."""
    from triton.testing import do_bench

    return moved / do_bench(call, warmup=20, rep=rep, return_mode="median") / 1e9


def host_microseconds(call: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            call()
        best = min(best, time.perf_counter() - start)
    return best / 200 * 1e6
