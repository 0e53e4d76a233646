"""Entries that instances share: one build a key over all threads, kept for as long as somebody holds it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from typing import Any
from weakref import WeakValueDictionary

from opyard.build_events import Watch


class Holder:
    """An entry, which itself may be a tuple or a record; whoever keeps this keeps it."""

    __slots__ = ("__weakref__", "entry")

    def __init__(self, entry: Any) -> None:
        self.entry = entry


class _Pending:
    def __init__(self) -> None:
        self.builder = threading.get_ident()
        self.done = threading.Event()
        self.holder: Holder | None = None
        self.error: BaseException | None = None


class _State:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.built: WeakValueDictionary[Hashable, Holder] = WeakValueDictionary()
        self.pending: dict[Hashable, _Pending] = {}
        self.builds = 0
        self.hits = 0


_state = _State()


def _after_fork() -> None:
    # What another thread was building has nobody to finish it in the child; what is built stays.
    global _state
    fresh = _State()
    fresh.built, fresh.builds, fresh.hits = _state.built, _state.builds, _state.hits
    _state = fresh


os.register_at_fork(after_in_child=_after_fork)


def build_once(key: Hashable, builder: Callable[[], Any], what: str, event: tuple[str, str, object]) -> Holder:
    """The entry for `key`: one that somebody holds, awaited from the thread that builds it, or built here. A failing
    build reaches all who wait, and leaves nothing. `event`: operator, implementation and identity, for listeners."""
    state = _state
    with state.lock:
        if (holder := state.built.get(key)) is not None:
            state.hits += 1
            return holder
        pending = state.pending.get(key)
        mine = pending is None
        if pending is None:
            pending = state.pending[key] = _Pending()
    if not mine:
        if pending.builder == threading.get_ident():
            raise RuntimeError(f"{what}: its build asks for the entry that it builds")
        pending.done.wait()
        if pending.error is not None:
            raise pending.error
        assert pending.holder is not None
        return pending.holder
    watch = Watch()
    try:
        pending.holder = Holder(builder())
    except BaseException as error:
        pending.error = error
        raise
    finally:
        with state.lock:
            if pending.holder is not None:
                state.built[key] = pending.holder
                state.builds += 1
            state.pending.pop(key, None)
        pending.done.set()
        watch.tell(*event, pending.holder is not None, state.hits, state.builds)
    return pending.holder


def builds() -> int:
    """How many entries this process has built."""
    return _state.builds


def keep(kept: dict[Any, Holder], key: Any, holder: Holder, bound: int) -> None:
    """Adds an entry; above the bound the oldest makes room."""
    while len(kept) >= bound:
        try:
            oldest = next(iter(kept))
        except (RuntimeError, StopIteration):
            continue  # another thread added or took one meanwhile
        kept.pop(oldest, None)
    kept[key] = holder
