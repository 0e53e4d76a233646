"""Registering, filtering and ordering overrides, with torch._native's names and arguments."""

from __future__ import annotations

import logging
from typing import Any

from opyard.native.decompositions import DEFINED, LIBRARIES, TABLE, native_decomp_table
from opyard.native.filters import Names, _FilterState
from opyard.native.graphs import GRAPHS, Key, UserOrderingFn
from opyard.native.node import _OpCondFn, _OpImplFn, _OverrideNode, new_node

__all__ = [
    "UserOrderingFn",
    "register_op_override",
    "reorder_graphs_from_user_function",
    "reenable_op_overrides",
    "deregister_op_overrides",
    "get_dsl_operations",
    "native_decomp_table",
    "reset_order",
]

log = logging.getLogger(__name__)

_REFUSED_KEYS = ("Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd")


def register_op_override(
    backend: str,
    lib_symbol: str,
    op_symbol: str,
    dispatch_key: str,
    cond: _OpCondFn | None = None,
    impl: _OpImplFn | str | None = None,
    *,
    allow_multiple_override: bool = False,
    unconditional_override: bool = False,
) -> None:
    """Puts an override in front of one operator at one dispatch key, in force from the next call.

    Args:
        backend: the DSL's name, by which its overrides can be switched off
        lib_symbol: the operator's namespace, mostly "aten"
        op_symbol: a bare name, which means the default overload ("bmm"), or one with its overload ("add_.Tensor")
        dispatch_key: "CPU", "CUDA" or any other backend's key
        cond: called with the operator's arguments, says whether `impl` serves the call; may be None only with
            `unconditional_override`, and be left out when `impl` comes by keyword
        impl: called with the operator's arguments; or "module:function", imported when first called
        allow_multiple_override: accepted for torch._native's sake; several overrides may always stand at one operator
        unconditional_override: `impl` serves every call at the key; a `cond` given as well is not evaluated

    Raises:
        ValueError: no such operator or key, a key or a composite operator where no override can stand, or no condition.
    """
    if dispatch_key in _REFUSED_KEYS:
        raise ValueError(
            f"{lib_symbol}::{op_symbol}: dispatch_key='{dispatch_key}': expected a backend's key, as CPU or CUDA; "
            "shapes are inferred there, also those of overrides, which would come back to the router"
        )
    if cond is None and not unconditional_override:
        raise ValueError(f"{lib_symbol}::{op_symbol}: cond must be provided unless unconditional_override=True")
    GRAPHS.add(new_node(backend, lib_symbol, op_symbol, dispatch_key, cond, impl, unconditional=unconditional_override))


def deregister_op_overrides(
    *,
    disable_dsl_names: Names = None,
    disable_op_symbols: Names = None,
    disable_dispatch_keys: Names = None,
) -> None:
    """Switches off the overrides with one of these names, those registered later too, until they are re-enabled."""
    names = (disable_dsl_names, disable_op_symbols, disable_dispatch_keys)
    log.info("switching off overrides of dsl %s, operator %s, dispatch key %s", *names)
    with GRAPHS.lock:
        GRAPHS.filters.update(*names)
        GRAPHS.apply(GRAPHS.keys_of(*names))


def reenable_op_overrides(
    *,
    enable_dsl_names: Names = None,
    enable_op_symbols: Names = None,
    enable_dispatch_keys: Names = None,
) -> None:
    """Takes these names out of the filters; an override is on again when none of its names is filtered."""
    names = (enable_dsl_names, enable_op_symbols, enable_dispatch_keys)
    log.info("switching on overrides of dsl %s, operator %s, dispatch key %s", *names)
    with GRAPHS.lock:
        GRAPHS.filters.update(*names, remove_keys=True)
        GRAPHS.apply(GRAPHS.keys_of(*names))


def reorder_graphs_from_user_function(fn: UserOrderingFn, *, reregister_overrides: bool = False) -> None:
    """Replaces each graph by `fn(op_symbol, dispatch_key, nodes)`, the list to use in the order to try. With
    `reregister_overrides` at once, else from the next registration at that operator. `reset_order()` takes it back."""
    with GRAPHS.lock:
        changed = GRAPHS.reorder(fn, GRAPHS.lists)
        if reregister_overrides:
            GRAPHS.apply(changed)


def reset_order() -> None:
    """Brings back every graph as it was registered, those that an ordering function emptied too."""
    GRAPHS.reset_order()


def get_dsl_operations(dsl_name: str) -> list[str]:
    """The operators with an override of this DSL, sorted."""
    return sorted({node.op_symbol for graph in GRAPHS.lists.values() for node in graph if node.dsl_name == dsl_name})


def _register_all_overrides() -> None:
    GRAPHS.apply(list(GRAPHS.lists))


def _register_overrides_from_graph(
    op_symbol: str, dispatch_key: str, graph: list[_OverrideNode], *, filter_state: _FilterState | None = None
) -> None:
    """Puts this list in force, as the operator's graph."""
    GRAPHS.lists[(op_symbol, dispatch_key)] = graph
    GRAPHS.apply([(op_symbol, dispatch_key)])


_cleanup_and_reregister_graph = _register_overrides_from_graph

# What tests written for torch._native save, clear and put back.
_graphs: dict[Key, list[_OverrideNode]] = GRAPHS.lists
_filter_state = GRAPHS.filters
_dsl_name_to_lib_graph = GRAPHS.by_dsl
_op_symbol_to_lib_graph = GRAPHS.by_op
_dispatch_key_to_lib_graph = GRAPHS.by_dispatch_key
_aten_override_libs: dict[Key, Any] = GRAPHS.installed
_native_decomp_overrides = TABLE
_libs = LIBRARIES
_defined_native_ops = DEFINED
