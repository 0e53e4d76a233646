"""Which overrides are switched off: by DSL, by operator, by dispatch key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from opyard.native.node import _OverrideNode

Names = str | Iterable[str] | None


def names_of(names: Names) -> set[str]:
    """One name, several, or none."""
    if names is None:
        return set()
    return {names} if isinstance(names, str) else set(names)


@dataclass
class _FilterState:
    _dsl_names: set[str] = field(default_factory=set)
    _op_symbols: set[str] = field(default_factory=set)
    _dispatch_keys: set[str] = field(default_factory=set)

    def check_enabled(self, node: _OverrideNode) -> bool:
        return not (
            node.dsl_name in self._dsl_names
            or node.op_symbol in self._op_symbols
            or node.dispatch_key in self._dispatch_keys
        )

    def update(self, dsl_names: Names, op_symbols: Names, dispatch_keys: Names, remove_keys: bool = False) -> None:
        """Adds names to the filters, or with `remove_keys` takes them out."""
        pairs = [
            (self._dsl_names, dsl_names),
            (self._op_symbols, op_symbols),
            (self._dispatch_keys, dispatch_keys),
        ]
        for filtered, names in pairs:
            if remove_keys:
                filtered.difference_update(names_of(names))
            else:
                filtered.update(names_of(names))
