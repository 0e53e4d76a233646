"""What mixtures of experts share: routing, then experts, with objects that may stand in for their parts."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from opyard._op import Op


class PrepareFinalize(Protocol):
    """Moves tokens to where their experts are, and the experts' results back."""

    def prepare(
        self, hidden_states: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What this process's experts compute on."""

    def finalize(self, output: torch.Tensor) -> torch.Tensor:
        """The output for the tokens that came in."""


class RoutedMoE(Op):
    """What both mixtures share: the stages of routing, and the injected objects that may stand in for their parts."""

    injected_parameters = ("prepare_finalize", "experts")

    def __init__(
        self,
        top_k: int,
        scoring_func: str = "softmax",
        renormalize: bool = False,
        routed_scaling_factor: float = 1.0,
        num_expert_group: int = 1,
        topk_group: int = 1,
        *,
        activation: str = "silu_and_mul",
        prepare_finalize: PrepareFinalize | None = None,
        experts: Any = None,
        target: Any = None,
    ) -> None:
        routing = {
            "top_k": top_k,
            "scoring_func": scoring_func,
            "renormalize": renormalize,
            "num_expert_group": num_expert_group,
            "topk_group": topk_group,
            "routed_scaling_factor": routed_scaling_factor,
        }
        for name, value in routing.items():
            setattr(self, name, value)
        self.prepare_finalize, self.experts = prepare_finalize, experts
        # Experts that are given have been made for one activation.
        self.activation = activation if experts is None else experts.activation
        super().__init__(target=target)
        self.delegate_for("route_select", None, **routing)
        self.delegate_for("routed_experts", None, experts, activation=self.activation)

    def _routed(
        self,
        hidden_states: torch.Tensor,
        gating_output: torch.Tensor,
        correction_bias: torch.Tensor | None,
        *weights: torch.Tensor | None,
    ) -> torch.Tensor:
        route, experts = self.held_delegates()[:2]
        inputs = (hidden_states, *route(gating_output, correction_bias))
        if self.prepare_finalize is not None:
            inputs = self.prepare_finalize.prepare(*inputs)
        hidden_states, topk_weights, topk_ids = inputs
        output = experts(hidden_states, weights[0], weights[1], topk_weights, topk_ids, *weights[2:])
        return output if self.prepare_finalize is None else self.prepare_finalize.finalize(output)
