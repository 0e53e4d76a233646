"""The kernel interface of every declared operator: `from opyard.interfaces import RMSNorm`."""

from __future__ import annotations

from typing import Any

from opyard import _C
from opyard._declared import interface_name, interface_of


def __getattr__(name: str) -> Any:
    for op in _C.operators():
        if interface_name(op) == name:
            return interface_of(op)
    known = ", ".join(interface_name(op) for op in _C.operators())
    raise AttributeError(f"module 'opyard.interfaces' has no interface {name!r}; it has: {known}")


def __dir__() -> list[str]:
    return sorted(map(interface_name, _C.operators()))
