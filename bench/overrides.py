"""What overrides cost against torch._native's, called from Python in the same run; and registering many of them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from timing import figure

import opyard

X = torch.ones(2, 2)
REPEATS, ROUNDS = 2000, 60


def figures(router: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`router` are the figures of the C++ program, which get torch._native's as their peer."""
    settings: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "plain": nullcontext,
        "data": lambda: opyard.override("aten::relu", "CPU", when={"ndim": 3}, impl=_give),
        "python": lambda: opyard.override("aten::relu", "CPU", when=lambda x: False, impl=_give),
        "native": _torch_native,
    }
    least = dict.fromkeys(settings, float("inf"))
    with torch.inference_mode():
        for _ in range(ROUNDS):
            for name, setting in settings.items():
                with setting():
                    least[name] = min(least[name], _once())
    theirs = (least["native"] - least["plain"]) * 1e9
    rows = [
        _against("router.python_miss_ns", (least["python"] - least["plain"]) * 1e9, theirs),
        _against("router.data_miss_from_python_ns", (least["data"] - least["plain"]) * 1e9, theirs),
        figure("router.torch_native_miss_ns", theirs, "ns"),
    ]
    with_peer = ("router.miss1_ns", "router.miss10_ns", "router.boxed_miss1_ns", "router.hit_ns")
    router[:] = [_against(row["name"], row["value"], theirs) if row["name"] in with_peer else row for row in router]
    return rows + _many()


def _against(name: str, ours: float, theirs: float) -> dict[str, Any]:
    return figure(name, ours, "ns", "torch._native's condition that is false", theirs / max(ours, 0.1))


def _once() -> float:
    relu, x = torch.relu, X
    start = time.perf_counter()
    for _ in range(REPEATS):
        relu(x)
    return (time.perf_counter() - start) / REPEATS


def _give(x: torch.Tensor) -> torch.Tensor:
    return x


@contextmanager
def _torch_native() -> Any:
    from torch._native import registry

    key = ("relu", "CPU")
    registry.register_op_override("bench", "aten", "relu", "CPU", lambda x: False, _give)
    registry._register_overrides_from_graph(*key, registry._graphs[key])
    try:
        yield
    finally:
        registry._graphs[key].clear()
        registry._register_overrides_from_graph(*key, [])


_CODE = """
import time, torch, opyard, opyard.native as native
names = [n for n in torch._C._dispatch_get_registrations_for_dispatch_key("CPU") if n.startswith("aten::")]
names = [n.removeprefix("aten::") for n in sorted(names)][:500]
def cond(*args, **kwargs): return False
start = time.perf_counter()
for name in names: native.register_op_override("many", "aten", name, "CPU", cond, cond)
registered = time.perf_counter()
native.deregister_op_overrides(disable_dsl_names="many")
off = time.perf_counter()
native.reenable_op_overrides(enable_dsl_names="many")
on = time.perf_counter()
print(registered - start, off - registered, on - off)
"""


def _many() -> list[dict[str, Any]]:
    runs = [subprocess.run([sys.executable, "-c", _CODE], check=True, capture_output=True, text=True) for _ in range(5)]
    columns = zip(*([float(word) for word in run.stdout.split()] for run in runs))
    names = ("overrides.register_500_ms", "overrides.disable_500_ms", "overrides.enable_500_ms")
    return [figure(name, min(column) * 1e3, "ms") for name, column in zip(names, columns)]
