"""Switching overrides off and on by DSL, operator or dispatch key, for good or for a block.

Stands where torch.backends.python_native stands: `control.triton`, `control.all_dsls` and `control.available_dsls` are
looked up when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from torch.backends import flags_frozen

from opyard.native.dsl_registry import DSLModuleProtocol, dsl_registry
from opyard.native.filters import _FilterState, names_of
from opyard.native.graphs import GRAPHS
from opyard.native.registry import deregister_op_overrides, get_dsl_operations, reenable_op_overrides

__all__ = [
    "DSLController",
    "disable_dispatch_keys",
    "disable_operations",
    "dsl",
    "enable_dispatch_keys",
    "enable_operations",
    "get_dsl_operations",
    "is_dsl_disabled",
    "is_operation_disabled",
    "operations_disabled",
]


class DSLController:
    """One DSL: whether its runtime is there, and whether its overrides are on."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def available(self) -> bool:
        return dsl_registry.is_dsl_available(self.name)

    @property
    def version(self) -> Any:
        return dsl_registry.get_dsl_version(self.name)

    @property
    def enabled(self) -> bool:
        return not is_dsl_disabled(self.name)

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if flags_frozen():  # type: ignore[no-untyped-call]  # torch leaves it untyped
            raise RuntimeError(f"{self.name}: torch's flags are frozen; call enable() or disable(), or use disabled()")
        self.enable() if value else self.disable()

    def enable(self) -> None:
        reenable_op_overrides(enable_dsl_names=self.name)

    def disable(self) -> None:
        deregister_op_overrides(disable_dsl_names=self.name)

    @contextmanager
    def disabled(self) -> Iterator[None]:
        """Off in the block; as before after it."""
        was_enabled = self.enabled
        self.disable()
        try:
            yield
        finally:
            if was_enabled:
                self.enable()

    def __repr__(self) -> str:
        words = "available" if self.available else "unavailable", "enabled" if self.enabled else "disabled"
        return f"DSLController({self.name}, {', '.join(words)})"


@cache
def _controller(name: str) -> DSLController:
    return DSLController(name)


def dsl(name: str) -> DSLController:
    """Raises ValueError for a DSL that no module registered and no override names."""
    if name not in dsl_registry.list_all_dsls() and name not in GRAPHS.by_dsl:
        raise ValueError(f"expected one of {', '.join(dsl_registry.list_all_dsls())}, got '{name}'")
    return _controller(name)


def __getattr__(name: str) -> Any:
    if name == "all_dsls":
        return list(dsl_registry.list_all_dsls())
    if name == "available_dsls":
        return list(dsl_registry.list_available_dsls())
    if name in dsl_registry.list_all_dsls():
        return _controller(name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, "all_dsls", "available_dsls", *dsl_registry.list_all_dsls()})


def _get_filter_state() -> _FilterState:
    """What tests written for torch.backends.python_native save and put back."""
    return GRAPHS.filters


def _get_dsl_module(dsl_name: str) -> DSLModuleProtocol:
    module = dsl_registry.get_dsl_module(dsl_name)
    if module is None:
        raise ValueError(f"Unknown DSL: {dsl_name}. Available DSLs: {list(dsl_registry.list_all_dsls())}")
    return module


def disable_operations(*op_symbols: str) -> None:
    deregister_op_overrides(disable_op_symbols=op_symbols)


def enable_operations(*op_symbols: str) -> None:
    reenable_op_overrides(enable_op_symbols=op_symbols)


def disable_dispatch_keys(*dispatch_keys: str) -> None:
    deregister_op_overrides(disable_dispatch_keys=dispatch_keys)


def enable_dispatch_keys(*dispatch_keys: str) -> None:
    reenable_op_overrides(enable_dispatch_keys=dispatch_keys)


def is_operation_disabled(op_symbol: str) -> bool:
    return op_symbol in GRAPHS.filters._op_symbols


def is_dsl_disabled(dsl_name: str) -> bool:
    return dsl_name in GRAPHS.filters._dsl_names


@contextmanager
def operations_disabled(*op_symbols: str) -> Iterator[None]:
    """Off in the block; those that were off before stay off after it."""
    were_on = names_of(op_symbols) - GRAPHS.filters._op_symbols
    disable_operations(*op_symbols)
    try:
        yield
    finally:
        enable_operations(*were_on)
