"""The compiled core: what the Python package calls of it."""

from collections.abc import Sequence
from typing import Any

import torch

def stats() -> list[dict[str, Any]]:
    """Operator, implementation and calls; a routed aten operator also has the calls that fell through."""

def reset_stats() -> None: ...
def explain(op: Any, *args: Any, **kwargs: Any) -> str:
    """The implementation chosen for this call, and each other one's refusal."""

def route_matmul(on: bool) -> None:
    """Begins or ends one activation of the router in front of aten's mm, addmm and bmm on the CPU."""

def measure_gemm(shapes: Sequence[tuple[int, int, int]], dtype: torch.dtype, budget_s: float) -> None:
    """Times the candidates at these (M, N, K); the choice then stays for the process."""
