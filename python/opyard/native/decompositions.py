"""Overrides in graphs: a decomposition table whose entries put opaque operators where conditions hold."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch._ops import OpOverload

from opyard.native.graphs import GRAPHS
from opyard.native.node import _OverrideNode, split_symbol
from opyard.native.numbers import tensors_for_numbers

log = logging.getLogger(__name__)

NAMESPACE = "opyard_native"

LIBRARIES: dict[tuple[str, str], torch.library.Library] = {}  # kept: torch undoes what a dropped one registered
DEFINED: set[str] = set()  # names of opaque operators; torch has no undefining
TABLE: dict[Any, Callable[..., Any]] = {}  # the overrides' entries, as of the last look


def native_decomp_table(overrides_only: bool = False) -> dict[Any, Callable[..., Any]]:
    """For `ExportedProgram.run_decompositions` and for backends of `torch.compile` that take a table.

    torch.export's default decompositions, with the overrides' entries in front; `overrides_only=True` gives the latter
    alone. A new dict each time, of what is active now; nothing is written into anyone's global table.
    """
    table: dict[Any, Callable[..., Any]] = {}
    if not overrides_only:
        from torch.export import default_decompositions

        table.update(default_decompositions())
    table.update(_overrides())
    return table


def _overrides() -> dict[Any, Callable[..., Any]]:
    with GRAPHS.lock:
        active = [node for graph in GRAPHS.lists.values() for node in graph if node.active]
        overloads = {overload: None for node in active if (overload := overload_of(node)) is not None}
        for gone in [overload for overload in TABLE if overload not in overloads]:
            del TABLE[gone]
        for overload in overloads:
            TABLE.setdefault(overload, Entry(overload))
        return dict(TABLE)


def overload_of(node: _OverrideNode) -> OpOverload | None:
    """The operator as torch.ops has it."""
    operator, overload = split_symbol(node.lib_symbol, node.op_symbol)
    namespace, _, name = operator.partition("::")
    packet = getattr(getattr(torch.ops, namespace), name, None)
    return getattr(packet, overload or "default", None)


class Entry:
    """The decomposition of one operator: the first override at the arguments' device whose condition holds."""

    def __init__(self, overload: OpOverload) -> None:
        self.overload = overload

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        nodes = self._nodes(_dispatch_key(args, kwargs))
        tensors = tensors_for_numbers(self.overload, args) if nodes else None
        if tensors is None:
            return NotImplemented
        for node in nodes:
            if _holds(node, tensors, kwargs):
                return _opaque(node, self.overload)(*tensors, **kwargs)
        return NotImplemented

    def _nodes(self, dispatch_key: str) -> list[_OverrideNode]:
        with GRAPHS.lock:
            return [
                node
                for (_, key), graph in GRAPHS.lists.items()
                if key == dispatch_key
                for node in graph
                if node.active and overload_of(node) is self.overload
            ]


def _dispatch_key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """As torch names the backend of the first tensor, in lists too."""
    for value in [*args, *kwargs.values()]:
        for item in value if isinstance(value, list | tuple) else [value]:
            if isinstance(item, torch.Tensor):
                return str(torch._C._dispatch_key_for_device(item.device.type))
    return "CPU"


def _holds(node: _OverrideNode, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """A condition that raises while tracing is no match: some of what it may ask, FakeTensors lack."""
    if node.unconditional_override:
        return True
    try:
        return bool(node.cond_fn(*args, **kwargs))
    except Exception:
        log.info("the condition of %s raised while tracing, which counts as no match", node.node_id, exc_info=True)
        return False


def _opaque(node: _OverrideNode, overload: OpOverload) -> OpOverload:
    """The operator that stands for the override in graphs, with the schema and the shapes of the overridden one."""
    with GRAPHS.lock:
        if node.node_id not in DEFINED:
            schema = str(overload._schema)
            library: Any = _library("FRAGMENT")  # torch's methods are untyped
            library.define(node.node_id + schema[schema.index("(") :])
            name = f"{NAMESPACE}::{node.node_id}"
            torch.library.register_fake(name, lambda *args, **kwargs: overload(*args, **kwargs), lib=library)
            _library("IMPL", node.dispatch_key).impl(node.node_id, node.impl_fn, node.dispatch_key)
            DEFINED.add(node.node_id)
    return getattr(torch.ops.opyard_native, node.node_id).default  # type: ignore[no-any-return]


def _library(kind: str, dispatch_key: str = "") -> Any:
    if (kind, dispatch_key) not in LIBRARIES:
        library: Any = torch.library.Library
        LIBRARIES[(kind, dispatch_key)] = library(NAMESPACE, kind, dispatch_key)
    return LIBRARIES[(kind, dispatch_key)]
