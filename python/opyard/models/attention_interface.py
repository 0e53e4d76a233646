"""Attention through transformers' attention interface, with the mask function that belongs to it."""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch import Tensor, nn

from opyard.models.conditions import GRADIENT, unserved_reason

NAME = "opyard"
ARGUMENTS = "an argument of this call is not served"


class Attend:
    """Two instances of the attention operator, for calls with and without the causal limit; layers alike share it."""

    def __init__(self, plain: Any, causal: Any, scaling: float, dropout: float) -> None:
        self.plain = plain
        self.causal = causal
        self.scaling = scaling
        self.dropout = dropout

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        """[B, S, H, D] in and out. No mask means what it means to transformers: causal from the first key on."""
        if mask is not None:
            if mask.shape[-1] != k.shape[1]:
                mask = mask[..., : k.shape[1]]
            return self.plain(q, k, v, mask=mask)  # type: ignore[no-any-return]
        length = q.shape[1]
        if length == 1:
            return self.plain(q, k, v)  # type: ignore[no-any-return]
        if k.shape[1] != length:
            # A static cache being filled: the keys beyond the queries are not written yet.
            k, v = k[:, :length], v[:, :length]
        return self.causal(q, k, v)  # type: ignore[no-any-return]


def attention_forward(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **kwargs: Any,
) -> tuple[Tensor, Tensor | None]:
    """What an attention module's original forward calls while its model is enabled: [B, H, S, D] in, [B, S, H, D] out.

    A module that is not enabled comes here too, where it shares its configuration with one that is: it is served as
    before.
    """
    exchanged: Any = vars(module).get("forward")
    attend = getattr(exchanged, "attend", None)
    if attend is None:
        return _original(module, query, key, value, attention_mask, dropout, scaling, kwargs)
    reason = unserved_reason(query, value.dtype)
    if torch.is_grad_enabled() and (query.requires_grad or key.requires_grad or value.requires_grad):
        reason = GRADIENT
    if attention_mask is not None and attention_mask.dtype not in (torch.bool, query.dtype):
        reason = ARGUMENTS
    if dropout or scaling != attend.scaling or "is_causal" in kwargs or kwargs.get("output_attentions"):
        reason = ARGUMENTS
    if reason is not None:
        exchanged.fall_through.count(exchanged.path, reason)
        return _original(module, query, key, value, attention_mask, dropout, scaling, kwargs)
    return attend(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), attention_mask), None


# The attention implementation that each enabled configuration had before, by the configuration's id; `enable` keeps it.
previous: dict[int, str] = {}


def _original(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout: float,
    scaling: float | None,
    kwargs: dict[str, Any],
) -> tuple[Tensor, Tensor | None]:
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    eager = previous.get(id(module.config)) == "eager" or kwargs.get("output_attentions")
    if not eager:
        return sdpa_attention_forward(  # type: ignore[no-any-return,no-untyped-call,unused-ignore]
            module, query, key, value, attention_mask=mask, dropout=dropout, scaling=scaling, **kwargs
        )
    owner = next(cls for cls in type(module).__mro__ if "forward" in vars(cls))
    forward = vars(sys.modules[owner.__module__])["eager_attention_forward"]
    additive = _additive(mask, query, key)
    return forward(  # type: ignore[no-any-return]
        module, query, key, value, additive, dropout=dropout, scaling=scaling, **kwargs
    )


def _additive(mask: Tensor | None, query: Tensor, key: Tensor) -> Tensor | None:
    """The mask that eager attention adds to the scores, from the one that scaled_dot_product_attention takes."""
    length = query.shape[2]
    if mask is None and length > 1:
        mask = torch.ones(length, key.shape[2], dtype=torch.bool, device=query.device).tril()[None, None]
    if mask is None or mask.dtype != torch.bool:
        return mask
    zero = torch.zeros((), dtype=query.dtype, device=query.device)
    return torch.where(mask, zero, torch.finfo(query.dtype).min)


def register() -> None:
    """Adds our name, and no other, to transformers' tables of attention and mask functions."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register(NAME, attention_forward)
    AttentionMaskInterface.register(NAME, sdpa_mask)
