"""Times callables in turn, so that a drift of the machine meets all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any


def in_turn(callables: dict[str, Callable[[], Any]], rounds: int = 15, seconds: float = 0.02) -> dict[str, list[float]]:
    """Seconds a call of each callable, one figure a round; a round lasts about `seconds` for each."""
    repeats = {name: _repeats(call, seconds) for name, call in callables.items()}
    figures: dict[str, list[float]] = {name: [] for name in callables}
    for _ in range(rounds):
        for name, call in callables.items():
            figures[name].append(_once(call, repeats[name]))
    return figures


def loop(call: Callable[..., Any], arguments: tuple[Any, ...], repeats: int) -> float:
    """Seconds a call of `call(*arguments)` written out for two arguments, without the cost of unpacking."""
    first, second = arguments
    start = time.perf_counter()
    for _ in range(repeats):
        call(first, second)
    return (time.perf_counter() - start) / repeats


def figure(name: str, value: float, unit: str, peer: str | None = None, ratio: float | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "value": round(value, 4), "unit": unit}
    if peer is not None:
        row |= {"peer": peer, "ratio": round(ratio or 0.0, 4)}
    return row


def against(name: str, ours: list[float], theirs: list[float], peer: str) -> dict[str, Any]:
    """A figure in microseconds with the peer's time divided by ours, the median over the rounds: above 1 is ahead."""
    return figure(name, min(ours) * 1e6, "us", peer, median(t / o for o, t in zip(ours, theirs)))


def _once(call: Callable[[], Any], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def _repeats(call: Callable[[], Any], seconds: float) -> int:
    call()
    start = time.perf_counter()
    call()
    return max(1, int(seconds / max(time.perf_counter() - start, 1e-9)))
