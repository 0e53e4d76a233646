"""Every declared operator, as a class: `from opyard.ops import RMSNormFwdOp`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from opyard import _C
from opyard._classes import make_class


def __getattr__(name: str) -> Any:
    if name not in _C.operators():
        raise AttributeError(f"module 'opyard.ops' has no operator {name!r}; it has: {', '.join(_C.operators())}")
    # Made on first use: importing costs nothing for the operators that a process does not touch.
    cls = _body(name) if _C.describe(name)["composite"] else make_class(name)
    globals()[name] = cls
    return cls


def _body(name: str) -> Any:
    """The class of a composite, whose body is written."""
    return getattr(import_module(f"opyard.operators.{_C.describe(name)['family']}"), name)


def __dir__() -> list[str]:
    return sorted(_C.operators())
