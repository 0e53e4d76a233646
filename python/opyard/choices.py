"""The user decides: which implementations may serve, for a block, a thread or the process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from opyard import _C
from opyard._lock_file import read_lock, write_lock
from opyard._registered import registered_types, written_classes

Scope = Literal["thread", "process"]


@dataclass(frozen=True, eq=False)
class _Decision:
    choices: tuple[tuple[str, str, str], ...] = ()
    verify: bool = False
    record: bool = False
    locked: dict[str, str] = field(default_factory=dict)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.decisions: list[_Decision] = []


_thread = _Thread()
_process: list[_Decision] = []


class Choice:
    """A decision in force until `end()`, or until its `with` block ends. A decision of a thread ends on that thread."""

    def __init__(self, decision: _Decision, scope: Scope) -> None:
        if scope not in ("thread", "process"):
            raise ValueError(f"scope: expected 'thread' or 'process', got {scope!r}")
        self._decision = decision
        self._process = scope == "process"
        self._all = _process if self._process else _thread.decisions
        self._all.append(decision)
        _apply(self._process, self._all)

    def end(self) -> None:
        """Takes the decision back. Again: nothing."""
        if not self._process and self._all is not _thread.decisions:
            raise RuntimeError("opyard: a decision of another thread is ended; end it on its own")
        if self._decision in self._all:
            self._all.remove(self._decision)
            _apply(self._process, self._all)

    def __enter__(self) -> Choice:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _apply(process: bool, decisions: list[_Decision]) -> None:
    locked: dict[str, str] = {}
    for decision in decisions:
        locked |= decision.locked
    _C.set_choices(
        process,
        [choice for decision in decisions for choice in decision.choices],
        any(decision.verify for decision in decisions),
        any(decision.record for decision in decisions),
        locked,
    )


def _known_keys(op: str) -> set[str]:
    written = written_classes.get(op)
    own = set() if written is None else {*written.kernel_types, *registered_types(op)}
    return own | set(_C.implementation_keys(op))


def _check(op: str, implementation: str) -> None:
    known = _known_keys(op)
    if implementation not in known:
        raise ValueError(f"{op}: no implementation {implementation!r}; it has: {', '.join(sorted(known)) or 'none'}")


def use(
    *, op: str | None = None, implementation: str | None = None, lock: str | Path | None = None, scope: Scope = "thread"
) -> Choice:
    """Only this implementation of an operator may serve; a call that it does not serve raises.

    Or: each call that a lock file lists is served as it says."""
    if lock is not None:
        return Choice(_Decision(locked=read_lock(Path(lock))), scope)
    if op is None or implementation is None:
        raise TypeError("use: expected op= and implementation=, or lock=")
    _check(op, implementation)
    return Choice(_Decision(choices=(("use", op, implementation),)), scope)


def without(*, implementation: str, op: str | None = None, scope: Scope = "thread") -> Choice:
    """This implementation may not serve: of one operator, or of every one that has an implementation of this name."""
    if op is not None:
        _check(op, implementation)
    elif not any(implementation in _known_keys(known) for known in _C.operators()):
        raise ValueError(f"without: no operator has an implementation {implementation!r}")
    return Choice(_Decision(choices=(("without", op or "", implementation),)), scope)


@contextmanager
def lock(path: str | Path, *, scope: Scope = "thread") -> Iterator[None]:
    """Writes what is selected in the block to a lock file, which `use(lock=path)` reproduces here or elsewhere."""
    _C.forget_selections()
    with Choice(_Decision(record=True), scope):
        yield
    write_lock(Path(path), _C.recorded_selections())


def bisect(check: Callable[[], Any]) -> str | None:
    """The implementation that makes `check` fail, as `operator.implementation`: it fails by an exception or by False.
    None where it passes. RuntimeError where it fails with the general implementations, too."""
    from opyard._bisect import find

    return find(check)
