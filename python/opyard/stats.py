"""What served the calls of this process, counted."""

from __future__ import annotations

from typing import TypedDict

from opyard import _C


class ServedRow(TypedDict, total=False):
    """Calls of one operator by one implementation; a routed aten operator also has the calls that fell through."""

    operator: str
    implementation: str
    calls: int
    fell_through: int


# What the routes had counted at the last reset: they count on for as long as the process lives.
_routes_before: dict[str, tuple[int, int]] = {}


def stats() -> list[ServedRow]:
    """Rows of operators and routed aten operators that were called since the start or the last `reset_stats()`."""
    rows: list[ServedRow] = [
        {"operator": op, "implementation": implementation, "calls": calls} for op, implementation, calls in _C.served()
    ]
    for op, implementation, served, fell in _C.route_counts():
        served_before, fell_before = _routes_before.get(op, (0, 0))
        served, fell = served - served_before, fell - fell_before
        if served or fell:
            rows.append({"operator": op, "implementation": implementation, "calls": served, "fell_through": fell})
    return rows


def reset_stats() -> None:
    """Starts every count again from zero."""
    _C.reset_served()
    _routes_before.clear()
    _routes_before.update({op: (served, fell) for op, _, served, fell in _C.route_counts()})
