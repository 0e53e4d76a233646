"""Who serves a device: opyard itself, or a target that a package registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from opyard import _C
from opyard._registered import Registration
from opyard.backends import loading


class _Builtin:
    """opyard's own kernels, as a target. One object, compared by identity."""

    def __repr__(self) -> str:
        return "opyard.BUILTIN"

    def __reduce__(self) -> str:
        return "BUILTIN"


BUILTIN = _Builtin()

# What the core calls it.
_BUILTIN_NAME = "builtin"

Target = str | _Builtin


@dataclass(frozen=True, kw_only=False)
class TensorSpec:
    """What a builder learns of an input: it gets no values."""

    device: torch.device
    dtype: torch.dtype
    shape: tuple[int, ...]


def register_detector(target: str, detect: Callable[[torch.device], bool]) -> Registration:
    """Lets a target claim devices: instances that name no target, and have no default, are served by it there."""
    return Registration(_C.register_detector(target, detect).remove)


def register_kernel_builder(op: str, target: str, build_kernel: Callable[..., Callable[..., Any]]) -> Registration:
    """`build_kernel` gets a TensorSpec for each input, None for an absent one, in the order of the declaration, and the
    parameters by keyword. It returns what is called with the tensors in that order."""
    return Registration(_C.register_kernel_builder(target, op, build_kernel).remove)


def set_default_target(target: Target | None) -> None:
    """The target of instances that name none, from their next selection on. None: it is detected again."""
    if loading():
        raise RuntimeError("set_default_target: a backend package may not choose the default while it loads")
    _C.set_default_target(core_name(target) or "")


def default_target() -> Target | None:
    """The process's default; None while it is detected."""
    return public_target(_C.default_target() or None)


def registered_targets(op: str | None = None) -> list[str]:
    """The known targets, sorted; with an operator, those with a builder for it."""
    from opyard.backends import load_backends

    load_backends()
    return _C.registered_targets(op or "")


def core_name(target: Any) -> Any:
    """A target as the core names it."""
    if target is BUILTIN:
        return _BUILTIN_NAME
    if target == _BUILTIN_NAME:
        raise ValueError(f"target: {_BUILTIN_NAME!r} is no name; give opyard.BUILTIN")
    return target


def public_target(name: str | None) -> Target | None:
    """A target as a person sees it."""
    return BUILTIN if name == _BUILTIN_NAME else name
