"""The user's ordering function, named in the environment."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import cast

from opyard.native.graphs import UserOrderingFn

# opyard's own wins.
VARIABLES = ("OPYARD_NATIVE_USER_GRAPH_ORDER_FN", "TORCH_PYTHON_NATIVE_USER_GRAPH_ORDER_FN")


@cache
def get_user_ordering_fn() -> UserOrderingFn | None:
    """What the first of VARIABLES that is set names as `package.module.function`. Raises ValueError when it is none."""
    variable = next((name for name in VARIABLES if os.getenv(name)), None)
    if variable is None:
        return None
    path = os.environ[variable]
    try:
        module, _, function = path.rpartition(".")
        found = getattr(importlib.import_module(module), function)
        if not callable(found):
            raise TypeError(f"{path} is no function")
    except Exception as error:
        raise ValueError(f"Could not resolve {variable}={path} into an importable function") from error
    return cast(UserOrderingFn, found)
