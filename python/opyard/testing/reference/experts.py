"""The right values of mixtures of experts, an expert at a time."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from opyard.testing.reference.routing import fused_topk

Optional = torch.Tensor | None


def _gated(gate_up: torch.Tensor, activation: str) -> torch.Tensor:
    if activation == "swigluoai":
        gate, up = gate_up[..., ::2].clamp(max=7.0), gate_up[..., 1::2].clamp(-7.0, 7.0)
        return gate * torch.sigmoid(1.702 * gate) * (up + 1)
    gate, up = gate_up.chunk(2, -1)
    return (functional.gelu(gate) if activation == "gelu_and_mul" else functional.silu(gate)) * up


def fused_moe_experts(
    hidden_states: torch.Tensor,
    w_gate_up: torch.Tensor,
    w_down: torch.Tensor,
    topk_weights: torch.Tensor,
    topk_ids: torch.Tensor,
    b_gate_up: Optional,
    b_down: Optional,
    routed_scaling_factor: float,
    activation: str,
) -> torch.Tensor:
    """Every expert on every token, weighted by what the routing gave it there."""
    output = torch.zeros_like(hidden_states)
    for expert in range(w_gate_up.shape[0]):
        share = torch.where(topk_ids == expert, topk_weights, 0).sum(-1, keepdim=True).to(output.dtype)
        gate_up = functional.linear(hidden_states, w_gate_up[expert], None if b_gate_up is None else b_gate_up[expert])
        down = functional.linear(
            _gated(gate_up, activation), w_down[expert], None if b_down is None else b_down[expert]
        )
        output += share * down
    return output * routed_scaling_factor


def shared_expert_mlp(hidden_states: torch.Tensor, w_gate_up: torch.Tensor, w_down: torch.Tensor) -> torch.Tensor:
    """The gated MLP of all tokens."""
    return functional.linear(_gated(functional.linear(hidden_states, w_gate_up), "silu_and_mul"), w_down)


def fused_moe(
    hidden_states: torch.Tensor,
    gating_output: torch.Tensor,
    w_gate_up: torch.Tensor,
    w_down: torch.Tensor,
    correction_bias: Optional,
    b_gate_up: Optional = None,
    b_down: Optional = None,
    *,
    activation: str,
    **routing: Any,
) -> torch.Tensor:
    """Routing, then the experts."""
    weights, ids = fused_topk(gating_output, correction_bias, **routing)
    return fused_moe_experts(hidden_states, w_gate_up, w_down, weights, ids, b_gate_up, b_down, 1.0, activation)


def fused_moe_shared_expert(
    hidden_states: torch.Tensor,
    shared_w_gate_up: Optional,
    shared_w_down: Optional,
    tp_size: int,
    tp_rank: int,
    **routed: Any,
) -> tuple[Optional, torch.Tensor]:
    """This rank's part of the shared expert, and the routed ones."""
    output = fused_moe(hidden_states, **routed)
    if shared_w_gate_up is None or shared_w_down is None:
        return None, output
    gate, up = (half.chunk(tp_size)[tp_rank] for half in shared_w_gate_up.chunk(2))
    down = shared_w_down.chunk(tp_size, 1)[tp_rank]
    return shared_expert_mlp(hidden_states, torch.cat([gate, up]), down), output
