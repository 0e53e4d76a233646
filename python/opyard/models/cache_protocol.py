"""How an attention module of the installed transformers hands its keys and values to the cache."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn


class CacheProtocol:
    """transformers calls the argument `past_key_values` up to some version 5 and `cache` after it, and 4.57 hands the
    cache the positions that a static one writes to.
    """

    def __init__(self, name: str, positioned: bool, cache_type: type) -> None:
        self.name = name
        self.other_name = "cache" if name == "past_key_values" else "past_key_values"
        self.positioned = positioned
        self.cache_type = cache_type

    def serves(self, kwargs: dict[str, Any]) -> bool:
        cache = kwargs.get(self.name)
        if cache is None:
            return kwargs.get(self.other_name) is None
        return isinstance(cache, self.cache_type)

    def update(
        self, cache: Any, keys: Tensor, values: Tensor, layer: int, kwargs: dict[str, Any]
    ) -> tuple[Tensor, Tensor]:
        if self.positioned:
            return cache.update(  # type: ignore[no-any-return]
                keys, values, layer, {"cache_position": kwargs.get("cache_position")}
            )
        return cache.update(keys, values, layer)  # type: ignore[no-any-return]


def of(forward: Callable[..., Any]) -> CacheProtocol:
    """The protocol of an attention module, by the arguments of its forward."""
    from transformers.cache_utils import Cache

    names = inspect.signature(forward).parameters
    return CacheProtocol("cache" if "cache" in names else "past_key_values", "cache_position" in names, Cache)


def rotation_of(module: nn.Module) -> Callable[..., tuple[Tensor, Tensor]]:
    """The function of the module's family that rotates queries and keys by cosines and sines."""
    owner = next(cls for cls in type(module).__mro__ if "forward" in vars(cls))
    rotation: Callable[..., tuple[Tensor, Tensor]] = vars(sys.modules[owner.__module__])["apply_rotary_pos_emb"]
    return rotation
