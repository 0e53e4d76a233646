"""Which catalogue operators stand in front of which aten operators, and which DSLs are on, chosen by name."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Literal

from opyard import _C

Names = str | Iterable[str] | None
Scope = Literal["process", "thread"]

CATALOGUE = "opyard"  # the catalogue's own name among the DSLs


def _listed(names: Names) -> list[str] | None:
    return [names] if isinstance(names, str) else None if names is None else list(names)


def _check(argument: str, names: list[str], known: Iterable[str]) -> None:
    known = sorted(set(known))
    for name in names:
        if name not in known:
            raise ValueError(f"enable: argument '{argument}': expected one of {', '.join(known)}, got '{name}'")


def choose_routes(ops: Names, only: Names, except_: Names) -> list[int]:
    """Numbers of the routes of catalogue operators `ops`, in front of the aten operators `only` but not `except_`.
    ValueError for a name that no route has."""
    rows = [(number, op, aten) for number, (op, aten, *_) in enumerate(_C.routes())]
    operators = _listed(ops)
    _check("ops", operators or [], [op for _, op, _ in rows])
    leaves = {argument: _aten(names) for argument, names in (("only", only), ("except_", except_))}
    for argument, names in leaves.items():
        _check(argument, names or [], [aten for _, _, aten in rows])
    allowed, left_out = leaves["only"], leaves["except_"] or []
    return [
        number
        for number, op, aten in rows
        if (operators is None or op in operators) and (allowed is None or aten in allowed) and aten not in left_out
    ]


def _aten(names: Names) -> list[str] | None:
    listed = _listed(names)
    return None if listed is None else [name if "::" in name else f"aten::{name}" for name in listed]


class Activation:
    """Routes and DSLs that one `enable` switched on. `end()` switches them back; a thread's are ended by it alone."""

    def __init__(self, routes: list[int], dsls: list[str], scope: Scope) -> None:
        self._routes, self._scope, self.thread = routes, scope, threading.get_ident()
        _C.use_routes(routes, scope == "thread")
        self._switched = [name for name in dsls if _switch_on(name)]

    def is_of_this_thread(self) -> bool:
        return self._scope == "process" or self.thread == threading.get_ident()

    def end(self) -> None:
        if not self.is_of_this_thread():
            raise RuntimeError("disable: another thread enabled this for itself; disable it there")
        _C.leave_routes(self._routes, self._scope == "thread")
        for name in self._switched:
            from opyard.native.control import dsl

            dsl(name).disable()


def activate(ops: Names, dsl: Names, only: Names, except_: Names, scope: Scope) -> Activation:
    """ValueError, with nothing switched, for names that are not known and for what does not go together."""
    if scope not in ("process", "thread"):
        raise ValueError(f"enable: argument 'scope': expected 'process' or 'thread', got {scope!r}")
    dsls = [CATALOGUE] if dsl is None else _listed(dsl) or []
    others = [name for name in dsls if name != CATALOGUE]
    if others and (scope == "thread" or any(names is not None for names in (ops, only, except_))):
        raise ValueError(f"enable: dsl='{others[0]}' goes with the process and with all of its overrides: give no ops=")
    for name in others:
        _known_dsl(name)
    return Activation(choose_routes(ops, only, except_) if CATALOGUE in dsls else [], others, scope)


def _known_dsl(name: str) -> None:
    from opyard.native.control import dsl

    dsl(name)


def _switch_on(name: str) -> bool:
    """Whether it was off."""
    from opyard.native.control import dsl

    controller = dsl(name)
    was_off = not controller.enabled
    controller.enable()
    return was_off
