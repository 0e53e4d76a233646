"""Implementations in Python of operators that are only declared: their interface follows from the declaration."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any

import torch

from opyard import _C
from opyard._contracts import check_contracts
from opyard._kernel import Kernel, KernelInterface, limits
from opyard.errors import ContractTypeError


@dataclass(frozen=True)
class TensorFacts:
    """A present tensor of a call. Strides are None where it is contiguous."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    strides: tuple[int, ...] | None = None

    @property
    def is_contiguous(self) -> bool:
        return self.strides is None


@dataclass(frozen=True)
class DeclaredCall:
    """The facts of a call of a declared operator. Inputs, outputs, parameters and solved indices are attributes, too:
    `call.x.shape`, `call.eps`; an absent optional is None."""

    device: torch.device
    arch: int
    inputs: MappingProxyType[str, TensorFacts | None]
    outputs: MappingProxyType[str, TensorFacts | None]
    params: MappingProxyType[str, Any]
    indices: MappingProxyType[str, Any]

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for group in (self.inputs, self.params, self.indices, self.outputs):
                if name in group:
                    return group[name]
        raise AttributeError(f"this call has no {name!r}; it has: {', '.join(self._names())}")

    def _names(self) -> list[str]:
        return [*self.inputs, *self.params, *self.indices, *self.outputs]


def _view(facts: dict[str, Any]) -> DeclaredCall:
    tensors = {
        group: MappingProxyType({name: item and TensorFacts(*item) for name, item in facts[group].items()})
        for group in ("inputs", "outputs")
    }
    values = {group: MappingProxyType(facts[group]) for group in ("params", "indices")}
    return DeclaredCall(facts["device"], facts["arch"], **tensors, **values)


_interfaces: dict[str, type[KernelInterface]] = {}


def interface_of(op: str) -> type[KernelInterface]:
    """The kernel interface of a declared operator: a call of it gets the inputs, in the order of the declaration, and
    gives the outputs."""
    if op not in _interfaces:
        facts = _C.describe(op)
        positional = [name for name, _, keyword_only in facts["inputs"] if not keyword_only]
        keyword = [name for name, _, keyword_only in facts["inputs"] if keyword_only]
        arguments = ", ".join(["self", *positional, *(["*", *keyword] if keyword else [])])
        namespace: dict[str, Any] = {}
        exec(f"def forward({arguments}):\n    raise NotImplementedError\n", namespace)
        forward = namespace["forward"]
        forward.__isabstractmethod__ = True
        members = {"request": DeclaredCall, "forward": forward, "__module__": "opyard.interfaces"}
        members["__doc__"] = f"What {op} asks of a kernel. Declared at {facts['declared_at']}."
        made: Any = ABCMeta(interface_name(op), (KernelInterface,), members)
        _interfaces[op] = made
    return _interfaces[op]


def interface_name(op: str) -> str:
    """RMSNormFwdOp → RMSNorm."""
    return op.removesuffix("Op").removesuffix("Fwd")


def register_declared(op: str, key: str, cls: type[Kernel]) -> Callable[[], None]:
    """Gives the function that takes the registration back."""
    if _C.describe(op)["composite"]:
        raise ValueError(f"{op}: is made of other operators, so implementation {key!r} would never be asked for")
    interface = interface_of(op)
    # What it prefers itself over belongs to the whole table, which the runtime checks when one is installed.
    alone = (
        type(key, (cls,), {"preferred_over": frozenset()}) if isinstance(cls, type) and issubclass(cls, Kernel) else cls
    )
    check_contracts(op, {key: alone}, {interface.__name__: interface})

    def entry_for(facts: dict[str, Any]) -> tuple[Any, Callable[[], Any]]:
        identity, builder = cls.entry_for(_view(facts))
        return _plain(identity, f"{op}: implementation {key!r} ({cls.__name__})"), builder

    handle = _C.register_implementation(op, key, limits(cls), lambda facts: cls.refusal(_view(facts)), entry_for)
    return handle.remove


def _plain(value: Any, where: str) -> Any:
    """An identity in the values that the runtime compares; records and enums become named sequences."""
    if value is None or isinstance(value, (bool, int, float, str, torch.dtype, torch.device)):
        return value
    if isinstance(value, Enum):
        return [type(value).__qualname__, value.name]
    if isinstance(value, torch.Size | tuple):
        return [_plain(item, where) for item in value]
    if isinstance(value, frozenset):
        return ["frozenset", *sorted((_plain(item, where) for item in value), key=repr)]
    if isinstance(value, MappingProxyType):
        return [[name, _plain(item, where)] for name, item in value.items()]
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__qualname__, *(_plain(getattr(value, f.name), where) for f in fields(value))]
    raise ContractTypeError(f"{where}: its identity holds a {type(value).__name__}, which cannot be compared")
