"""Entries that instances share: one build a key over all threads, kept for as long as somebody holds it.

The core's entry cache is not used for them. Their keys are whatever an author can hash, so comparing them runs Python
under the interpreter lock; the core compares keys under a lock of its own, below which that one must not be taken."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any
from weakref import WeakValueDictionary

from opyard.build_events import Watch


class Holder:
    """An entry, which itself may be a tuple or a record; whoever keeps this keeps it."""

    __slots__ = ("__weakref__", "entry")

    def __init__(self, entry: Any) -> None:
        self.entry = entry


class _Flight(Future[Holder]):
    def __init__(self) -> None:
        super().__init__()
        self.builder = threading.get_ident()


class _State:
    def __init__(self, built: WeakValueDictionary[Hashable, Holder], builds: int, hits: int) -> None:
        self.lock = threading.Lock()
        self.built = built
        self.builds = builds
        self.hits = hits
        self.flights: dict[Hashable, _Flight] = {}


_state = _State(WeakValueDictionary(), 0, 0)


def _after_fork() -> None:
    # What another thread was building has nobody to finish it in the child; what is built stays.
    global _state
    _state = _State(_state.built, _state.builds, _state.hits)


os.register_at_fork(after_in_child=_after_fork)


def build_once(key: Hashable, builder: Callable[[], Any], what: str, event: tuple[str, str, object]) -> Holder:
    """The entry for `key`: one that somebody holds, awaited from the thread that builds it, or built here. A failing
    build reaches all who wait, and leaves nothing. `event`: operator, implementation and identity, for listeners."""
    state, own = _state, _Flight()
    with state.lock:
        if (holder := state.built.get(key)) is not None:
            state.hits += 1
            return holder
        flight = state.flights.setdefault(key, own)
    if flight is not own:
        if flight.builder == own.builder:
            raise RuntimeError(f"{what}: its build asks for the entry that it builds")
        return flight.result()
    watch = Watch()
    try:
        holder = Holder(builder())
    except BaseException as error:
        with state.lock:
            del state.flights[key]
        own.set_exception(error)
        watch.tell(*event, False, state.hits, state.builds)
        raise
    with state.lock:
        state.built[key] = holder
        state.builds += 1
        del state.flights[key]
    own.set_result(holder)
    watch.tell(*event, True, state.hits, state.builds)
    return holder


def keep(kept: dict[Any, Holder], key: Any, holder: Holder, bound: int) -> None:
    """Adds an entry; above the bound the oldest makes room."""
    while len(kept) >= bound:
        try:
            oldest = next(iter(kept))
        except (RuntimeError, StopIteration):
            continue  # another thread added or took one meanwhile
        kept.pop(oldest, None)
    kept[key] = holder
