"""The object that stands in a module's `forward` attribute while a model is enabled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from opyard.models.fall_through import FallThrough


def plain_forward(module: nn.Module) -> Callable[..., Any]:
    """The forward of the module's class. A copied or unpickled model gets it in place of an exchanged one."""
    forward: Callable[..., Any] = type(module).forward.__get__(module)
    return forward


def is_taken(module: nn.Module) -> bool:
    """Whether something else than its class's forward stands in a module's `forward` attribute."""
    forward = vars(module).get("forward")
    return forward is not None and forward != plain_forward(module)


class ExchangedForward:
    """Serves a module's calls by opyard operators; what it does not serve goes to `original`, and is counted."""

    def __init__(self, module: nn.Module, path: str, fall_through: FallThrough) -> None:
        self.module = module
        self.path = path
        self.fall_through = fall_through
        self.original: Callable[..., Any] = module.forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def fall(self, reason: str, *args: Any, **kwargs: Any) -> Any:
        self.fall_through.count(self.path, reason)
        return self.original(*args, **kwargs)

    def put_in(self) -> None:
        self.module.forward = self

    def take_out(self) -> None:
        if vars(self.module).get("forward") is self:
            del self.module.forward
        # Someone may have wrapped this object meanwhile, or be calling it: from here on it is the original.
        self.__class__ = RetiredForward

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[nn.Module]]:
        return plain_forward, (self.module,)


class RetiredForward(ExchangedForward):
    """What an exchanged forward becomes when its model is disabled."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.original(*args, **kwargs)
