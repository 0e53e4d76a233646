"""Functions named by `"module:function"`, imported when they are first called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class LazyFunction:
    """Imports its module on the first call, so that registering it loads nothing."""

    def __init__(self, name: str) -> None:
        module, colon, function = name.partition(":")
        if not (module and colon and function):
            raise ValueError(f"expected 'module:function', got '{name}'")
        self.name = name
        self._found: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._found is None:
            module, _, function = self.name.partition(":")
            try:
                self._found = getattr(importlib.import_module(module), function)
            except AttributeError as error:
                raise ImportError(f"module '{module}' has no '{function}'") from error
        return self._found(*args, **kwargs)

    def __repr__(self) -> str:
        return f"LazyFunction({self.name!r})"


def as_function(function: Callable[..., Any] | str) -> Callable[..., Any]:
    """The callable itself, or the one that a text names."""
    return LazyFunction(function) if isinstance(function, str) else function
