"""`opyard.override`: an implementation in front of one operator at one dispatch key, owned by a handle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._ops import OpOverload

from opyard import _C

if TYPE_CHECKING:
    from opyard.native.node import _OverrideNode

Condition = Mapping[str, Any] | str | Callable[..., bool] | None

DSL_NAME = "opyard"  # of these overrides, in graphs and filters


class Override:
    """One registration. Ends with `remove()`, or as a context manager with its block."""

    def __init__(self, node: _OverrideNode) -> None:
        self._node = node

    @property
    def name(self) -> str:
        return self._node.node_id

    @property
    def active(self) -> bool:
        """False once removed, and while a filter or an ordering function leaves it out."""
        return self._node.active

    @property
    def hits(self) -> int:
        """Calls that it served, in all forms of the operator."""
        return self._node.handle.counts()[0] if self._node.handle is not None else 0

    @property
    def falls(self) -> int:
        """Calls that it passed over."""
        return self._node.handle.counts()[1] if self._node.handle is not None else 0

    def remove(self) -> None:
        """For good; the state is as if it had never been registered. Calls that began before may still be served."""
        from opyard.native.graphs import GRAPHS

        GRAPHS.remove(self._node)

    def __enter__(self) -> Override:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        node = self._node
        return f"<override {self.name} of {node.lib_symbol}::{node.op_symbol} at {node.dispatch_key}>"


def override(
    op: str | OpOverload,
    key: str,
    when: Condition = None,
    impl: Callable[..., Any] | str | None = None,
    *,
    all_forms: bool = True,
) -> Override:
    """Puts `impl` in front of `op` (`"aten::relu"`, `"aten::add.Tensor"`) at a backend's dispatch key, at once.

    `when` says which calls it serves, cheapest first: None, every call; a mapping, limits on the first tensor
    (`{"dtype": ["float16"], "ndim": [2, 3], "size": {-1: {"multiple_of": 8}}, "contiguous": True}`), on other arguments
    by name (`{"mat2": {"ndim": 2}, "dim": [-1, 1]}`); a text in the manifest's expression language
    (`"self.dtype == float16 and self.shape[-1] % 8 == 0"`); a callable that takes the operator's arguments.

    `impl` takes the operator's arguments, or is `"module:function"`, imported when first called. It may give
    NotImplemented to pass a call on. The override registered last is tried first; a call that none serves goes to the
    kernel that was there before. An override of a functional operator serves its in-place and out= forms too, whose
    results are then copied; `all_forms=False` leaves them alone.
    """
    from opyard.native.graphs import GRAPHS
    from opyard.native.node import new_node

    namespace, op_symbol = _symbol(op)
    condition = _read(when, namespace, op_symbol)
    node = new_node(
        DSL_NAME, namespace, op_symbol, key, condition, impl, unconditional=condition is None, all_forms=all_forms
    )
    GRAPHS.add(node)
    return Override(node)


@contextmanager
def aten_original() -> Iterator[None]:
    """In its block this thread's calls of aten meet no override, and autograd records nothing: for implementations that
    call the operator which they override."""
    guard = _C.AtenOriginal()
    try:
        yield
    finally:
        del guard


def _symbol(op: str | OpOverload) -> tuple[str, str]:
    """Namespace, and name with the overload where it is not the default one."""
    text = str(op._name) if isinstance(op, OpOverload) else op
    namespace, colons, symbol = text.partition("::")
    return (namespace, symbol) if colons else ("aten", text)


def _read(when: Condition, namespace: str, op_symbol: str) -> Callable[..., bool] | None:
    if when is None or not isinstance(when, str | Mapping):
        return when
    from opyard._when import read_when
    from opyard.native.node import split_symbol

    operator, overload = split_symbol(namespace, op_symbol)
    try:
        schema = torch._C._get_schema(operator, overload)
    except RuntimeError as error:
        raise ValueError(f"override: no operator '{operator}' with overload '{overload or 'default'}'") from error
    return read_when(when, schema)
