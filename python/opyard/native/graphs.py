"""The graphs: for each operator and dispatch key its overrides in the order tried, and what of it is in force."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable

from opyard import _C
from opyard.native.filters import Names, _FilterState, names_of
from opyard.native.node import _OverrideNode

log = logging.getLogger(__name__)

Key = tuple[str, str]
UserOrderingFn = Callable[[str, str, list[_OverrideNode]], list[_OverrideNode]]


class Installed:
    """What of one graph is in force."""

    def __init__(self, nodes: list[_OverrideNode]) -> None:
        self.nodes = nodes

    def _destroy(self) -> None:
        _C.arrange_overrides([], [node.handle for node in self.nodes if node.handle is not None])


class Graphs:
    """One for the process. Registering and arranging hold the lock; calls of operators never do."""

    def __init__(self) -> None:
        self.lists: dict[Key, list[_OverrideNode]] = {}  # in the order tried: the last registered first
        self.registered: dict[Key, list[_OverrideNode]] = {}  # the same, whatever ordering functions did
        self.installed: dict[Key, Installed] = {}
        self.filters = _FilterState()
        self.by_dsl: dict[str, list[Key]] = {}
        self.by_op: dict[str, list[Key]] = {}
        self.by_dispatch_key: dict[str, list[Key]] = {}
        self.ordering: UserOrderingFn | None = None  # from the environment: orders before anything is registered
        self.lock = threading.RLock()
        os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self.lock = threading.RLock()

    def add(self, node: _OverrideNode) -> None:
        """In force from the next call on."""
        with self.lock:
            node.active = self.filters.check_enabled(node)
            node.install()
            for index, name in self._indices(node):
                index.setdefault(name, []).append(node.key)
            self.lists.setdefault(node.key, []).insert(0, node)
            self.registered.setdefault(node.key, []).insert(0, node)
            if self.ordering is not None:
                self.reorder(self.ordering, [node.key])
            if self.lists[node.key] == self.registered[node.key] and node.active:
                self.installed[node.key] = Installed(self._enabled(node.key))  # the core puts it first by itself
            else:
                self.apply([node.key])

    def _indices(self, node: _OverrideNode) -> list[tuple[dict[str, list[Key]], str]]:
        return [
            (self.by_dsl, node.dsl_name),
            (self.by_op, node.op_symbol),
            (self.by_dispatch_key, node.dispatch_key),
        ]

    def remove(self, node: _OverrideNode) -> None:
        """For good; what is left keeps its order."""
        with self.lock:
            for lists in (self.lists, self.registered):
                lists[node.key] = [other for other in lists.get(node.key, []) if other is not node]
            if not self.registered[node.key]:
                del self.lists[node.key], self.registered[node.key]
            for index, name in self._indices(node):
                if node.key in index.get(name, []):
                    index[name].remove(node.key)
                    if not index[name]:
                        del index[name]
            node.active = False
            if node.handle is not None:
                node.handle.remove()
            self._note_installed(node.key)

    def apply(self, keys: Iterable[Key]) -> None:
        """Puts the graphs of these keys in force as they are now."""
        with self.lock:
            for key in dict.fromkeys(keys):
                graph = list({id(node): node for node in self.lists.get(key, [])}.values())
                for node in graph:
                    node.install()
                    node.active = self.filters.check_enabled(node)
                on = [node.handle for node in graph if node.active and node.handle is not None]
                listed = {id(node) for node in graph if node.active}
                off = [
                    node.handle
                    for node in {id(n): n for n in [*graph, *self.registered.get(key, [])]}.values()
                    if id(node) not in listed and node.handle is not None
                ]
                _C.arrange_overrides(on, off)
                self._note_installed(key)

    def _enabled(self, key: Key) -> list[_OverrideNode]:
        return [node for node in self.lists.get(key, []) if node.active]

    def _note_installed(self, key: Key) -> None:
        enabled = self._enabled(key)
        if enabled:
            self.installed[key] = Installed(enabled)
        else:
            self.installed.pop(key, None)

    def keys_of(self, dsl_names: Names, op_symbols: Names, dispatch_keys: Names) -> list[Key]:
        """Of the graphs that have a node with one of these names."""
        pairs = [(self.by_dsl, dsl_names), (self.by_op, op_symbols), (self.by_dispatch_key, dispatch_keys)]
        return list(dict.fromkeys(key for index, names in pairs for n in names_of(names) for key in index.get(n, [])))

    def reorder(self, order: UserOrderingFn, keys: Iterable[Key]) -> list[Key]:
        """Asks for each graph's order, and gives the keys of those that changed. One that fails keeps its graph."""
        changed = []
        for key in list(keys):
            graph = list(self.lists.get(key, []))
            try:
                ordered = order(*key, list(graph))
            except Exception:
                log.warning("Graph transformation failed for %s/%s. Preserving original graph.", *key, exc_info=True)
                continue
            if not isinstance(ordered, list):
                found = type(ordered).__name__
                log.warning("Graph transformation gave %s for %s/%s, not a list. It is kept.", found, *key)
                continue
            if ordered != graph:
                changed.append(key)
            self.lists[key] = ordered
        return changed

    def reset_order(self) -> None:
        """Every graph as registered, in force at once. What filters switch off stays off."""
        with self.lock:
            changed = [key for key, graph in self.registered.items() if self.lists.get(key) != graph]
            self.lists.update({key: list(self.registered[key]) for key in changed})
            self.apply(changed)


GRAPHS = Graphs()
