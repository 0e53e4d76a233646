"""Counts, for each module and reason, the calls that went to the module's own forward."""

from __future__ import annotations

import os
import threading
from typing import TypedDict

import torch


class FallThroughRow(TypedDict):
    module: str
    reason: str
    calls: int


# One for all models, and made anew in a forked child: another thread may have held it.
_lock = threading.Lock()


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)


class FallThrough:
    """One a model. A module that is never served is listed with no call before its first one."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], int] = {}

    def note(self, module: str, reason: str) -> None:
        with _lock:
            self._calls.setdefault((module, reason), 0)

    def count(self, module: str, reason: str) -> None:
        # A graph being traced runs many times or never: its calls are not ours to count.
        if torch.compiler.is_compiling():
            return
        with _lock:
            self._calls[module, reason] = self._calls.get((module, reason), 0) + 1

    def rows(self) -> list[FallThroughRow]:
        with _lock:
            return [{"module": module, "reason": reason, "calls": n} for (module, reason), n in self._calls.items()]

    def reset(self) -> None:
        with _lock:
            self._calls = dict.fromkeys(self._calls, 0)
