"""Backend packages, found by their entry points: each registers itself when its module is imported."""

from __future__ import annotations

import importlib
import os
import threading
import warnings
from importlib.metadata import entry_points

from opyard._registered import recorded

GROUP = "opyard.backends"


class _State:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.done = False
        self.loading = False
        self.loaded: set[tuple[str, str]] = set()
        self.failures: list[str] = []


_state = _State()


def _after_fork() -> None:
    _state.lock = threading.RLock()  # another thread's hold has nobody to end it in the child
    _state.loading = False


os.register_at_fork(after_in_child=_after_fork)


def loading() -> bool:
    """Whether a backend package is being imported."""
    return _state.loading


def load_failures() -> list[str]:
    """`name (module): error` for each backend package that could not be imported."""
    load_backends()
    return list(_state.failures)


def load_backends() -> None:
    """Imports every backend package, once in a process. One that fails is reported, and what it registered is taken
    back; the others work. An interrupt ends loading, and the next call resumes it."""
    if _state.done:
        return
    with _state.lock:
        if _state.done or _state.loading:
            return
        _state.loading = True
        fresh: list[str] = []
        try:
            for name, value in sorted((point.name, point.value) for point in entry_points(group=GROUP)):
                if (name, value) not in _state.loaded:
                    _load(name, value, fresh)
            _state.done = True
        finally:
            _state.loading = False
            _state.failures += fresh
    for failure in fresh:
        warnings.warn(f"opyard: a backend package could not be loaded: {failure}", RuntimeWarning, stacklevel=3)


def _load(name: str, value: str, failures: list[str]) -> None:
    module = value.partition(":")[0]
    with recorded() as made:
        try:
            importlib.import_module(module)
        except BaseException as error:
            for registration in reversed(made):
                registration.remove()
            if not isinstance(error, Exception):
                raise
            failures.append(f"{name} ({module}): {type(error).__name__}: {error}")
    _state.loaded.add((name, value))
