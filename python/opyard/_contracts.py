"""The contracts between implementations and the interfaces of their operator, checked at construction."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from opyard._kernel import Kernel
from opyard.errors import ContractTypeError, ContractValueError

Table = Mapping[str, type]


def check_contracts(op: str, table: Table, interfaces: Table) -> dict[str, list[str]]:
    """The keys of each interface. ContractTypeError or ContractValueError, naming key and class, for a broken one."""
    for key, cls in table.items():
        _check_class(op, key, cls, interfaces)
    keys = {name: [key for key, cls in table.items() if issubclass(cls, face)] for name, face in interfaces.items()}
    for name, members in keys.items():
        _check_precedence(op, name, members, table)
    return keys


def _where(op: str, key: str, cls: Any) -> str:
    return f"{op}: implementation {key!r} ({getattr(cls, '__qualname__', cls)})"


def _check_class(op: str, key: str, cls: Any, interfaces: Table) -> None:
    where = _where(op, key, cls)
    if not isinstance(cls, type) or not issubclass(cls, Kernel):
        raise ContractTypeError(f"{where}: expected a class that inherits opyard.Kernel")
    own = {name: face for name, face in interfaces.items() if issubclass(cls, face)}
    if not own:
        raise ContractValueError(
            f"{where}: belongs to no interface; expected it to inherit one of "
            f"{', '.join(f'{name}: {face.__name__}' for name, face in interfaces.items()) or 'none, for there is none'}"
        )
    for method in ("entry_for", "refusal"):
        if not isinstance(inspect.getattr_static(cls, method), classmethod):
            raise ContractTypeError(f"{where}: {method} is no classmethod")
    for name, face in own.items():
        _check_forward(where, name, cls, face)
    if cls.supported_archs is not None and len(cls.devices) != 1:
        raise ContractTypeError(
            f"{where}: supported_archs needs exactly one device type, got {', '.join(sorted(cls.devices)) or 'none'}"
        )


def _check_forward(where: str, name: str, cls: type[Kernel], face: Any) -> None:
    wanted = list(inspect.signature(face.forward).parameters.values())
    positional = [p for p in wanted if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_name = {p.name: None for p in wanted if p.kind is p.KEYWORD_ONLY}
    try:
        inspect.signature(cls.forward).bind(*positional, **by_name)
    except TypeError as error:
        raise ContractTypeError(
            f"{where}: forward does not take the arguments of interface {name!r}: expected "
            f"{inspect.signature(face.forward)}, got {inspect.signature(cls.forward)} ({error})"
        ) from None


def _check_precedence(op: str, name: str, keys: list[str], table: Table) -> None:
    general = [key for key in keys if table[key].general]  # type: ignore[attr-defined]
    if len(general) > 1:
        raise ContractValueError(f"{op}: interface {name!r} has several general implementations: {', '.join(general)}")
    preferred = {key: set(table[key].preferred_over) for key in keys}  # type: ignore[attr-defined]
    for key in keys:
        where = _where(op, key, table[key])
        if key in general and preferred[key]:
            raise ContractValueError(f"{where}: is the general one of {name!r}, yet preferred over {preferred[key]}")
        for other in sorted(preferred[key]):
            if other == key or other not in keys:
                raise ContractValueError(
                    f"{where}: preferred_over names {other!r}; expected another implementation of interface {name!r}: "
                    f"{', '.join(k for k in keys if k != key) or 'there is none'}"
                )
        _check_cycle(where, key, preferred)


def _check_cycle(where: str, key: str, preferred: dict[str, set[str]]) -> None:
    reached: set[str] = set()
    to_visit = sorted(preferred[key])
    while to_visit:
        other = to_visit.pop()
        if other == key:
            raise ContractValueError(
                f"{where}: preferred_over forms a cycle through {', '.join(sorted(reached | {key}))}"
            )
        if other not in reached:
            reached.add(other)
            to_visit += sorted(preferred.get(other, ()))
