"""Which attention implementation a configuration names while models that hold it are enabled."""

from __future__ import annotations

from typing import Any

from opyard.models.attention_interface import NAME, previous

_holders: dict[int, int] = {}


class AttentionConfiguration:
    """Names ours in a configuration, and puts the one before back with the last model that holds it. Only `enable` and
    `disable` come here, under their lock.
    """

    def __init__(self, config: Any) -> None:
        self.config = config
        key = id(config)
        if key not in _holders:
            # A copy of an enabled model comes with our name, and without what stood there before.
            before = config._attn_implementation
            previous[key] = "sdpa" if before == NAME else before
            config._attn_implementation = NAME
        _holders[key] = _holders.get(key, 0) + 1

    def put_back(self) -> None:
        key = id(self.config)
        _holders[key] -= 1
        if _holders[key] == 0:
            del _holders[key]
            before = previous.pop(key)
            # The user may have chosen another implementation meanwhile: theirs stays.
            if self.config._attn_implementation == NAME:
                self.config._attn_implementation = before
