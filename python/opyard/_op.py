"""The class under every operator, and the record of a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from opyard import _C


@dataclass(frozen=True)
class SignatureCall:
    """The facts of one completed call.

    `tensors` maps the name of each present input and output to (shape in elements, dtype name); `indices` holds the
    dims, shapes and dtypes that the call solved.
    """

    operator: str
    implementation: str
    target: str
    device: torch.device
    params: dict[str, Any]
    indices: dict[str, Any]
    tensors: dict[str, tuple[tuple[int, ...], str]]


# Not copied: they belong to the instance that was constructed.
_MADE_AT_CONSTRUCTION = ("_graph_key", "_effects")


class Op(_C.OpBase):
    """A constructed operator: checks a call, selects an implementation, builds it once, runs it, records it.

    A subclass assigns its manifest parameters to attributes of the same name and ends by calling
    `super().__init__(target=target)`.
    """

    _name: ClassVar[str] = ""
    _parameters: ClassVar[tuple[str, ...]] = ()
    _overload: ClassVar[Any] = None
    _has_effects: ClassVar[bool] = False
    compile_op_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # A `__call__` that a subclass writes itself is called as any other method.
        if getattr(cls.__call__, "_generated", cls.__call__ is _C.OpBase.__call__):
            _C.restore_vectorcall(cls)

    def __init__(self, *, target: str | None = None) -> None:
        self.target = target
        values = {name: getattr(self, name) for name in self._parameters}
        self._construct(self._name, values, target)
        # In a graph stands what the instance is, not which one it is, so that alike instances compile as one.
        self._graph_key: str = _C.spec_text(self)
        if self._has_effects:
            self._effects = _C.effect_table(self)

    @property
    def last_call(self) -> SignatureCall:
        """The newest completed call. RuntimeError before any."""
        facts = _C.last_call(self)
        if facts is None:
            raise RuntimeError(f"{self._name}: no call has completed yet, so there is no record of one")
        return SignatureCall(**facts)

    @property
    def serving_target(self) -> str | None:
        """Who serves this instance: "builtin", a target's name, or None before a call selected it."""
        return _C.serving_target(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Op:
        copy = type(self).__new__(type(self))
        copy.__dict__.update({k: v for k, v in self.__dict__.items() if k not in _MADE_AT_CONSTRUCTION})
        Op.__init__(copy, target=self.target)
        return copy

    __copy__ = lambda self: self.__deepcopy__({})  # noqa: E731

    def __reduce__(self) -> tuple[Any, ...]:
        state = {k: v for k, v in self.__dict__.items() if k not in _MADE_AT_CONSTRUCTION}
        return _rebuild, (type(self), state)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._parameters)
        return f"{self._name}({shown})"


def _rebuild(cls: type[Op], state: dict[str, Any]) -> Op:
    op = cls.__new__(cls)
    op.__dict__.update(state)
    Op.__init__(op, target=state["target"])
    return op
