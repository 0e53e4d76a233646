"""What overrides stand in front of torch, as a table, and taking all of it out."""

from __future__ import annotations

from dataclasses import dataclass

from opyard import _C


@dataclass(frozen=True)
class OverrideRow:
    """One override at one operator and dispatch key; `position` counts from 0, the first that is tried."""

    operator: str
    key: str
    position: int
    name: str
    condition: str
    hits: int
    falls: int
    last_reason: str


_HEADINGS = ("operator", "key", "#", "override", "condition", "hits", "falls", "last reason")


class OverrideTable(list[OverrideRow]):
    """Prints as a table."""

    def __str__(self) -> str:
        lines = [_HEADINGS] + [
            (r.operator, r.key, str(r.position), r.name, r.condition, str(r.hits), str(r.falls), r.last_reason)
            for r in self
        ]
        widths = [max(len(line[i]) for line in lines) for i in range(len(_HEADINGS))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def overrides() -> OverrideTable:
    """The overrides that are on, operator by operator, in the order in which they are tried."""
    texts = _condition_texts()
    return OverrideTable(
        OverrideRow(
            point["operator"],
            point["key"],
            position,
            node["name"],
            texts.get(node["name"], node["condition"]),
            node["hits"],
            node["falls"],
            node["last_reason"],
        )
        for point in _C.override_points()
        for position, node in enumerate(point["nodes"])
    )


def _condition_texts() -> dict[str, str]:
    """What the core does not know of conditions: texts and Python functions."""
    from opyard._when import When
    from opyard.native.graphs import GRAPHS

    texts = {}
    for graph in list(GRAPHS.registered.values()):
        for node in graph:
            if isinstance(node.cond_fn, When):
                texts[node.node_id] = node.cond_fn.text
            elif not node.unconditional_override:
                texts[node.node_id] = getattr(node.cond_fn, "__name__", repr(node.cond_fn))
    return texts


def uninstall() -> None:
    """Removes every override and takes the routers out of torch's dispatch table.

    Needs a process in which no other thread calls an overridden operator: torch's table cannot be changed under calls.
    Raises RuntimeError while `opyard.enable()` is in force.
    """
    from opyard.enable import is_active
    from opyard.native.graphs import GRAPHS

    if is_active():
        raise RuntimeError("uninstall: opyard is enabled; call opyard.disable() for each enable() first")
    with GRAPHS.lock:
        for node in [node for graph in GRAPHS.registered.values() for node in graph]:
            GRAPHS.remove(node)
        _C.uninstall_routers()
