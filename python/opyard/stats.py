"""What served the calls of this process, counted."""

from __future__ import annotations

from typing import TypedDict

from opyard import _C


class ServedRow(TypedDict, total=False):
    """Calls of one operator by one implementation; a routed aten operator also has the calls that fell through.

    A row of a cache has, in place of an implementation, the cache's name, what all instances keep in it, the bound of
    each one's, and how many made room.
    """

    operator: str
    implementation: str
    calls: int
    fell_through: int
    cache: str
    kept: int
    bound: int
    evicted: int


# What the routes had counted at the last reset: they count on for as long as the process lives.
_routes_before: dict[tuple[str, str], tuple[int, int]] = {}


def stats(*, caches: bool = False) -> list[ServedRow]:
    """Rows of operators and routed aten operators that were called since the start or the last `reset_stats()`; with
    `caches` also rows of what living operators keep."""
    rows: list[ServedRow] = [
        {"operator": op, "implementation": implementation, "calls": calls} for op, implementation, calls in _C.served()
    ]
    for (op, implementation), (served, fell) in _route_counts().items():
        served_before, fell_before = _routes_before.get((op, implementation), (0, 0))
        served, fell = served - served_before, fell - fell_before
        if served or fell:
            rows.append({"operator": op, "implementation": implementation, "calls": served, "fell_through": fell})
    return rows + (_caches() if caches else [])


def _route_counts() -> dict[tuple[str, str], tuple[int, int]]:
    """Served and fallen through, by aten operator and catalogue operator, over all devices."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for op, aten, _, _, served, fell in _C.routes():
        before = counts.get((aten, op), (0, 0))
        counts[(aten, op)] = (before[0] + served, before[1] + fell)
    return counts


def _caches() -> list[ServedRow]:
    plan_bound, entry_bound = _C.cache_bounds()
    rows: list[ServedRow] = []
    for op, _, plans, plans_evicted, entries, entries_evicted in _C.cache_counts():
        rows.append({"operator": op, "cache": "plans", "kept": plans, "bound": plan_bound, "evicted": plans_evicted})
        rows.append(
            {"operator": op, "cache": "entries", "kept": entries, "bound": entry_bound, "evicted": entries_evicted}
        )
    return rows


def reset_stats() -> None:
    """Starts every count again from zero."""
    _C.reset_served()
    _routes_before.clear()
    _routes_before.update(_route_counts())
