"""Who listens hears of every build: of which operator and implementation, how it ended, and how long it took."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from opyard import _C
from opyard._registered import Registration

log = logging.getLogger(__name__)

# Implementations in a DSL are named after it; all others are in C++ or plain Python.
_DSLS = ("cutedsl", "cuda", "helion", "nvrtc", "tilelang", "triton")


@dataclass(frozen=True)
class BuildEvent:
    """One build. `hits` and `misses` are those of the cache that keeps what was built, this build among the misses."""

    operator: str
    dsl: str
    implementation: str
    outcome: Literal["built", "failed"]
    milliseconds: float
    key: str
    hits: int
    misses: int


_Listener = Callable[[BuildEvent], object]
_listeners: list[_Listener] = []
_lock = threading.Lock()


def on_build(listener: _Listener) -> Registration:
    """Calls `listener` after each build, on the thread that built, until the registration is removed. What it raises is
    logged. Nothing is timed while nobody listens."""
    with _lock:
        _listeners.append(listener)
        _C.set_build_listener(_tell)

    def undo() -> None:
        with _lock:
            _listeners.remove(listener)
            if not _listeners:
                _C.set_build_listener(None)

    return Registration(undo)


def log_build(event: BuildEvent) -> None:
    """A listener that writes a record at INFO."""
    log.info("%s", event)


class Watch:
    """Times a build that Python makes, if somebody listens when it begins."""

    def __init__(self) -> None:
        self._begun = time.perf_counter() if _listeners else None

    def tell(self, operator: str, implementation: str, key: object, built: bool, hits: int, misses: int) -> None:
        if self._begun is not None:
            milliseconds = (time.perf_counter() - self._begun) * 1e3
            _tell(operator, implementation, str(key), built, milliseconds, hits, misses)


def _tell(
    operator: str, implementation: str, key: str, built: bool, milliseconds: float, hits: int, misses: int
) -> None:
    dsl = next((name for name in _DSLS if implementation.startswith(name)), "")
    outcome: Literal["built", "failed"] = "built" if built else "failed"
    event = BuildEvent(operator, dsl, implementation, outcome, milliseconds, key, hits, misses)
    for listener in list(_listeners):
        try:
            listener(event)
        except Exception:  # the call that built is not the listener's
            log.exception("a listener of builds raised for %s", event)
