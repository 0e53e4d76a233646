"""Implementations that packages add to operators, and the registrations of the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from opyard import _C

if TYPE_CHECKING:
    from opyard._kernel import Kernel
    from opyard._op import Op

# Classes of operators with a body, by name; filled by class definition.
written_classes: dict[str, type[Op]] = {}
_types: dict[str, dict[str, type[Kernel]]] = {}
_kept: set[Registration] = set()
_recording: list[list[Registration]] = []


class Registration:
    """One registration, in force until `remove()`. Instances constructed before keep what they had."""

    def __init__(self, undo: Callable[[], None]) -> None:
        self._undo: Callable[[], None] | None = undo
        _kept.add(self)
        for made in _recording:
            made.append(self)

    def remove(self) -> None:
        """Takes it back. Again: nothing."""
        undo, self._undo = self._undo, None
        _kept.discard(self)
        if undo is not None:
            undo()


@contextmanager
def recorded() -> Iterator[list[Registration]]:
    """The registrations that a block makes."""
    made: list[Registration] = []
    _recording.append(made)
    try:
        yield made
    finally:
        _recording.remove(made)


def registered_types(op: str) -> dict[str, type[Kernel]]:
    """The implementations that packages added to an operator with a body."""
    return dict(_types.get(op, {}))


def register_kernel_type(op: str, key: str, cls: type[Kernel]) -> Registration:
    """Adds an implementation to an operator, under a key of its own. It competes in instances constructed from now on,
    by its own limits and precedence; nothing is built."""
    written = written_classes.get(op)
    if written is None:
        from opyard._declared import register_declared

        return Registration(register_declared(op, key, cls))
    if not written.interfaces:
        raise ValueError(f"{op}: has no kernel interfaces, so implementation {key!r} would never be asked for")
    if key in _types.get(op, {}):
        raise ValueError(f"{op}: implementation {key!r} is registered already, by {_types[op][key].__qualname__}")
    _types.setdefault(op, {})[key] = cls

    def undo() -> None:
        del _types[op][key]

    return Registration(undo)


def interface_exists(op: str) -> bool:
    """Whether something can be registered for an operator of this name."""
    return op in written_classes or op in _C.operators()
