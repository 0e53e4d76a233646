"""RMSNorm on a GPU: bandwidth against a copy, eager torch, inductor and Liger, and the host's cost of a call. JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import torch
from triton.testing import do_bench

from opyard.ops import RMSNormFwdOp

SHAPES = [(32768, 256), (32768, 1024), (32768, 2048), (32768, 4096), (16384, 8192), (8192, 16384)]


def terabytes(call: Callable[[], object], x: torch.Tensor) -> float:
    milliseconds = do_bench(call, warmup=20, rep=100, return_mode="median")
    return 2 * x.numel() * x.element_size() / milliseconds / 1e9


def host_microseconds(call: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(200):
            call()
        best = min(best, time.perf_counter() - start)
    return best / 200 * 1e6


def peers(columns: int, x: torch.Tensor, weight: torch.Tensor) -> dict[str, Callable[[], object]]:
    def eager() -> torch.Tensor:
        return torch.nn.functional.rms_norm(x, (columns,), weight, 1e-6)

    calls: dict[str, Callable[[], object]] = {"eager": eager}
    compiled = torch.compile(torch.nn.functional.rms_norm, dynamic=False)
    calls["inductor"] = lambda: compiled(x, (columns,), weight, 1e-6)
    try:
        from liger_kernel.ops.rms_norm import LigerRMSNormFunction
    except ImportError:
        return calls
    calls["liger"] = lambda: LigerRMSNormFunction.apply(x, weight, 1e-6, 0.0, "llama", False)
    return calls


def bandwidths(rows: int, columns: int) -> dict[str, float]:
    x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
    y = torch.empty_like(x)
    op = RMSNormFwdOp(normalized_shape=[columns], eps=1e-6)
    calls = {"copy": lambda: y.copy_(x), "opyard": lambda: op(x, weight), **peers(columns, x, weight)}
    return {name: terabytes(call, x) for name, call in calls.items()}


def main() -> None:
    rows = []
    with torch.no_grad():
        for count, columns in SHAPES:
            figures = bandwidths(count, columns)
            rows.append({"rows": count, "columns": columns, "tb_per_s": figures})
            print(count, columns, {k: round(v, 2) for k, v in figures.items()}, file=sys.stderr, flush=True)
        x = torch.randn(8, 4096, device="cuda", dtype=torch.bfloat16)
        weight = torch.randn(4096, device="cuda", dtype=torch.bfloat16)
        op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
        host = {
            "opyard": host_microseconds(lambda: op(x, weight)),
            "empty_like": host_microseconds(lambda: torch.empty_like(x)),
            "rms_norm": host_microseconds(lambda: torch.nn.functional.rms_norm(x, (4096,), weight, 1e-6)),
            "relu": host_microseconds(lambda: torch.relu(x)),
            "bare_launch": host_microseconds(lambda: torch.cuda._sleep(0)),
        }
    print(json.dumps({"rms_norm_bfloat16": rows, "host_us": host}, indent=1))


if __name__ == "__main__":
    main()
