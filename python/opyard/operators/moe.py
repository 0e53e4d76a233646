"""Mixtures of experts as compositions: tokens are routed, then their experts compute."""

from __future__ import annotations

from typing import Any

import torch

from opyard.operators.routed_moe import PrepareFinalize, RoutedMoE
from opyard.ops import FusedMoEExpertsFwdOp, FusedTopKFwdOp, SharedExpertMLPFwdOp


class FusedMoEFwdOp(RoutedMoE):
    """Each token through its best experts."""

    delegate_types = {"route_select": FusedTopKFwdOp, "routed_experts": FusedMoEExpertsFwdOp}

    def forward(
        self,
        hidden_states: torch.Tensor,
        gating_output: torch.Tensor,
        w_gate_up: torch.Tensor,
        w_down: torch.Tensor,
        correction_bias: torch.Tensor | None = None,
        b_gate_up: torch.Tensor | None = None,
        b_down: torch.Tensor | None = None,
    ) -> torch.Tensor:
        return self._routed(hidden_states, gating_output, correction_bias, w_gate_up, w_down, b_gate_up, b_down)


class FusedMoESharedExpertFwdOp(RoutedMoE):
    """Each token through its best experts, and through one that all tokens share."""

    delegate_types = {**FusedMoEFwdOp.delegate_types, "shared_expert": SharedExpertMLPFwdOp}

    def __init__(
        self,
        top_k: int,
        scoring_func: str = "softmax",
        renormalize: bool = False,
        routed_scaling_factor: float = 1.0,
        num_expert_group: int = 1,
        topk_group: int = 1,
        tp_size: int = 1,
        tp_rank: int = 0,
        *,
        activation: str = "silu_and_mul",
        prepare_finalize: PrepareFinalize | None = None,
        experts: Any = None,
        target: Any = None,
    ) -> None:
        self.tp_size, self.tp_rank = tp_size, tp_rank
        super().__init__(
            top_k,
            scoring_func,
            renormalize,
            routed_scaling_factor,
            num_expert_group,
            topk_group,
            activation=activation,
            prepare_finalize=prepare_finalize,
            experts=experts,
            target=target,
        )
        self.delegate_for("shared_expert", None)

    def forward(
        self,
        hidden_states: torch.Tensor,
        gating_output: torch.Tensor,
        w_gate_up: torch.Tensor,
        w_down: torch.Tensor,
        correction_bias: torch.Tensor | None = None,
        shared_w_gate_up: torch.Tensor | None = None,
        shared_w_down: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor | None, torch.Tensor]:
        routed = self._routed(hidden_states, gating_output, correction_bias, w_gate_up, w_down)
        if shared_w_gate_up is None or shared_w_down is None:
            return None, routed
        shared = self.held_delegates()[2]
        return shared(hidden_states, self._shard(shared_w_gate_up), self._own_columns(shared_w_down)), routed

    def _shard(self, w_gate_up: torch.Tensor) -> torch.Tensor:
        """This rank's rows of the gate, then of the up projection."""
        if self.tp_size == 1:
            return w_gate_up
        return torch.cat([half.chunk(self.tp_size)[self.tp_rank] for half in w_gate_up.chunk(2)])

    def _own_columns(self, w_down: torch.Tensor) -> torch.Tensor:
        return w_down.chunk(self.tp_size, 1)[self.tp_rank]
