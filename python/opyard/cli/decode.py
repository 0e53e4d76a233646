"""A greedy decode of exactly so many tokens, timed step by step."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Run:
    """One answer: its tokens, and the time of the first one and of all that followed it."""

    tokens: tuple[int, ...]
    prefill_s: float
    decode_s: float


def cache_name(model: Any) -> str:
    """transformers renamed the argument within its version 5."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def greedy(model: Any, ids: torch.Tensor, count: int, on_token: Callable[[int], None] | None = None) -> Run:
    """End-of-text does not end it. `on_token` gets each token outside of the timed parts."""
    from transformers import DynamicCache

    cache = {cache_name(model): DynamicCache(config=model.config)}
    tokens: list[int] = []
    seconds: list[float] = []
    with torch.inference_mode():
        for _ in range(count):
            start = time.perf_counter()
            logits = model(ids, use_cache=True, logits_to_keep=1, **cache).logits
            ids = logits[:, -1].argmax(-1, keepdim=True)
            token = int(ids)
            seconds.append(time.perf_counter() - start)
            tokens.append(token)
            if on_token is not None:
                on_token(token)
    return Run(tuple(tokens), seconds[0], sum(seconds[1:]))
