"""Copies of operators, in memory and on disk: constructed alike, with a key of their own, bound to nothing."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opyard._op import Op

# What construction makes anew.
_MADE = frozenset(
    {
        "_entries_by_call",
        "_built_entries",
        "_delegates",
        "_delegate_stages",
        "_effects",
        "_installed_kernel_types",
        "_keys_by_interface",
    }
)


def copy_of(op: Op, memo: dict[int, Any]) -> Op:
    """Kernels and plans are shared with the original; what a person set on it is copied."""
    made = type(op).__new__(type(op))
    memo[id(op)] = made
    held = [(stage, identity, copy.deepcopy(sub, memo)) for stage, identity, sub in _held(op)]
    restore(made, (copy.deepcopy(_state(op), memo), held))
    return made


def reduced(op: Op) -> tuple[Any, ...]:
    """For pickle."""
    return _rebuilt, (type(op),), (_state(op), _held(op))


def _state(op: Op) -> dict[str, Any]:
    return {name: value for name, value in op.__dict__.items() if name not in _MADE}


def _held(op: Op) -> list[tuple[str, Any, Op]]:
    return [(stage, identity, sub) for stage, all_ in op._delegates.items() for identity, sub in all_.items()]


def _rebuilt(cls: type[Op]) -> Op:
    return cls.__new__(cls)


def restore(op: Op, state: tuple[dict[str, Any], list[tuple[str, Any, Op]]]) -> None:
    """For pickle's `__setstate__`: sub-operators may be attributes as well, and stay the same objects."""
    from opyard._op import Op

    values, held = state
    op.__dict__.update(values)
    Op.__init__(op, target=op.target)
    for stage, identity, sub in held:
        op.delegate_for(stage, identity, sub)
