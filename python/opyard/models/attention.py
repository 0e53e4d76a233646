"""Attention modules of Llama, Mistral, Qwen2 and Qwen3: stacked projections, rotation, cache, attention operator."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opyard.models import cache_protocol
from opyard.models.attention_interface import ARGUMENTS, NAME, Attend
from opyard.models.conditions import GRADIENT, records_gradient
from opyard.models.exchanged_forward import ExchangedForward
from opyard.models.fall_through import FallThrough
from opyard.models.inside import Inside, is_plain_linear
from opyard.models.operators import Operators
from opyard.models.rotary import Step
from opyard.models.stacked_linear import StackedLinear

STEP = "the model's rotary embedding did not serve this call"
IMPLEMENTATION = "the model's attention implementation was changed after enable"
DROPOUT = "attention dropout is on"
MASK = "the mask is neither boolean nor of the queries' dtype"
CACHE = "the cache is not a transformers Cache, or came under another name"

LINEARS = ("q_proj", "k_proj", "v_proj", "o_proj")
NORMS = ("q_norm", "k_norm")


def unserved_attention(module: Any) -> str | None:
    """Why an attention module is never served; None when it may be."""
    if not all(is_plain_linear(module._modules.get(name)) for name in LINEARS):
        return "its projections are not plain nn.Linear modules"
    if module.config._attn_implementation not in ("sdpa", "eager", NAME):
        return "the model has an attention implementation of the user's choice"
    return None


class AttentionForward(ExchangedForward):
    def __init__(
        self,
        module: Any,
        path: str,
        fall_through: FallThrough,
        attend: Attend,
        operators: Operators,
        rope: Any,
        lay_out: bool,
    ) -> None:
        super().__init__(module, path, fall_through)
        self.attend = attend
        self.gemm = operators.gemm
        self.rope = rope
        self.qkv = StackedLinear((module.q_proj, module.k_proj, module.v_proj), lay_out)
        self.out = module.o_proj._parameters
        self.head_dim: int = module.head_dim
        self.heads: int = module.q_proj.out_features // self.head_dim
        self.kv_heads: int = module.k_proj.out_features // self.head_dim
        self.norms = tuple(operators.norm(module._modules[name]) for name in NORMS if name in module._modules)
        self.norm_parameters = tuple(module._modules[name]._parameters for name in NORMS if name in module._modules)
        self.parameters = (*self.qkv.parameters, self.out, *self.norm_parameters)
        self.inside = Inside(module, LINEARS + tuple(name for name in NORMS if name in module._modules))
        self.layer_idx: int = module.layer_idx
        self.cache_protocol = cache_protocol.of(self.original)
        self.config = vars(module.config)
        self.rotate_by_pair = cache_protocol.rotation_of(module)

    def unserved_reason(self, x: Tensor, step: Any, kwargs: dict[str, Any]) -> str | None:
        """Why this call is not served, given that the modules inside are as they were."""
        if type(step) is not Step:
            return STEP
        if step.recording and records_gradient(x, self.parameters):
            return GRADIENT
        if self.config["_attn_implementation_internal"] != NAME:
            return IMPLEMENTATION
        if "is_causal" in kwargs or kwargs.get("output_attentions"):
            return ARGUMENTS
        if self.attend.dropout and self.module.training:
            return DROPOUT
        if not self.cache_protocol.serves(kwargs):
            return CACHE
        mask = kwargs.get("attention_mask")
        if mask is not None and mask.dtype is not torch.bool and mask.dtype is not x.dtype:
            return MASK
        return None

    def __call__(self, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Any:
        reason = self.inside.changed()
        if reason is None and args:
            reason = ARGUMENTS
        if reason is None:
            reason = self.unserved_reason(hidden_states, kwargs.get("position_embeddings"), kwargs)
        if reason is not None:
            return self.fall(reason, hidden_states, *args, **kwargs)
        batch, length, width = hidden_states.shape
        rows = self.serve(hidden_states.reshape(-1, width), batch, length, kwargs)
        return rows.view(batch, length, -1), None

    def serve(self, x: Tensor, batch: int, length: int, kwargs: dict[str, Any]) -> Tensor:
        """Rows to rows; updates the cache."""
        heads, kv_heads, head_dim = self.heads, self.kv_heads, self.head_dim
        stack = self.qkv(self.gemm, x).view(-1, heads + 2 * kv_heads, head_dim)
        # Tensor.split is a Python function around this one, and costs a decode step twice as much.
        rotating, v = stack.split_with_sizes((heads + kv_heads, kv_heads), 1)
        step: Step = kwargs["position_embeddings"]
        if self.norms or step.positions is None:
            q, k = self._normalise_and_rotate(rotating, step, batch, length)
        else:
            q, k = self.rope(rotating, step.positions).split_with_sizes((heads, kv_heads), 1)
        q = q.view(batch, length, heads, head_dim)
        cache = kwargs.get(self.cache_protocol.name)
        if cache is not None:
            k, v = _by_head(k, batch, length), _by_head(v, batch, length)
            k, v = self.cache_protocol.update(cache, k, v, self.layer_idx, kwargs)
            k, v = k.transpose(1, 2), v.transpose(1, 2)
        else:
            k, v = k.view(batch, length, kv_heads, head_dim), v.view(batch, length, kv_heads, head_dim)
        o = self.attend(q, k, v, kwargs.get("attention_mask"))
        out = self.out
        return self.gemm(o.reshape(-1, heads * head_dim), out["weight"], out["bias"])  # type: ignore[no-any-return]

    def _normalise_and_rotate(self, x: Tensor, step: Step, batch: int, length: int) -> tuple[Tensor, Tensor]:
        """Queries and keys as rows [N, H, D], where not one call of the operator rotates both as they are."""
        q, k = x.split_with_sizes((self.heads, self.kv_heads), 1)
        if self.norms:
            q = self.norms[0](q, self.norm_parameters[0]["weight"])
            k = self.norms[1](k, self.norm_parameters[1]["weight"])
        if step.positions is not None:
            return self.rope(q, step.positions), self.rope(k, step.positions)
        q, k = (rows.view(batch, length, -1, self.head_dim) for rows in (q, k))
        q, k = self.rotate_by_pair(q, k, *step.pair(), unsqueeze_dim=2)
        return q.flatten(0, 1), k.flatten(0, 1)

    def take_out(self) -> None:
        self.qkv.take_apart()
        super().take_out()


def _by_head(rows: Tensor, batch: int, length: int) -> Tensor:
    """[B * S, H, D] as [B, H, S, D]. A decode step has nothing to transpose, and a view is the cheaper call."""
    _, heads, head_dim = rows.shape
    if length == 1:
        return rows.view(batch, heads, 1, head_dim)
    return rows.view(batch, length, heads, head_dim).transpose(1, 2)
