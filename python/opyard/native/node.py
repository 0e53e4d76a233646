"""One override in the graphs: what a person registered, and its place in the core."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from opyard import _C
from opyard._lazy import as_function
from opyard._when import When

_OpCondFn = Callable[..., bool]
_OpImplFn = Callable[..., Any]

_numbers = itertools.count()


@dataclass
class _OverrideNode:
    """Fields as torch._native has them; ordering functions read these."""

    dsl_name: str
    op_symbol: str
    dispatch_key: str
    cond_fn: _OpCondFn
    impl_fn: _OpImplFn
    node_id: str  # of the opaque operator in graphs; never used twice
    unconditional_override: bool = False
    active: bool = True
    lib_symbol: str = "aten"
    all_forms: bool = False  # in-place and out= forms too
    handle: _C.OverrideHandle | None = field(default=None, repr=False, compare=False)

    @cached_property
    def key(self) -> tuple[str, str]:
        """Of the graph that the node is in."""
        return graph_key(self.lib_symbol, self.op_symbol, self.dispatch_key)

    def install(self) -> None:
        """Registers with the core, where that has not been done. Raises ValueError where it cannot work."""
        if self.handle is None:
            when = self.cond_fn if isinstance(self.cond_fn, When) else None
            asks = None if when is not None or self.unconditional_override else self.cond_fn
            operator, overload = split_symbol(self.lib_symbol, self.op_symbol)
            self.handle = _C.override_boxed(
                operator,
                overload,
                self.dispatch_key,
                self.node_id,
                when.limits if when is not None and not self.unconditional_override else [],
                when.expression if when is not None and not self.unconditional_override else "",
                asks,
                self.impl_fn,
                self.all_forms,
            )


def new_node(
    dsl_name: str,
    lib_symbol: str,
    op_symbol: str,
    dispatch_key: str,
    cond: _OpCondFn | None,
    impl: _OpImplFn | str | None,
    *,
    unconditional: bool,
    all_forms: bool = False,
) -> _OverrideNode:
    """What a person registers, not yet in a graph. Without a condition it must be unconditional."""
    if impl is None:
        raise TypeError(
            f"{lib_symbol}::{op_symbol}: argument 'impl': expected a function or 'module:function', got None"
        )
    return _OverrideNode(
        dsl_name=dsl_name,
        op_symbol=op_symbol,
        dispatch_key=dispatch_key,
        cond_fn=always_true if cond is None else cond,
        impl_fn=as_function(impl),
        node_id=re.sub(r"\W", "_", f"{op_symbol}_{dsl_name}_{next(_numbers)}", flags=re.ASCII),
        unconditional_override=unconditional,
        lib_symbol=lib_symbol,
        all_forms=all_forms,
    )


def split_symbol(lib_symbol: str, op_symbol: str) -> tuple[str, str]:
    """`add_.Tensor` of `aten`: operator `aten::add_`, overload `Tensor`. A bare name means the default overload."""
    name, _, overload = op_symbol.partition(".")
    return f"{lib_symbol}::{name}", "" if overload == "default" else overload


def graph_key(lib_symbol: str, op_symbol: str, dispatch_key: str) -> tuple[str, str]:
    """As torch._native keys its graphs; operators of other namespaces carry theirs."""
    return (op_symbol if lib_symbol == "aten" else f"{lib_symbol}::{op_symbol}"), dispatch_key


def always_true(*args: object, **kwargs: object) -> bool:
    """Stands for the condition of an unconditional override."""
    return True
