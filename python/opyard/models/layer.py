"""Decoder layers: one exchanged forward for what its four parts would each check again."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from opyard.models.attention import AttentionForward
from opyard.models.attention_interface import ARGUMENTS
from opyard.models.conditions import GRADIENT, records_gradient
from opyard.models.exchanged_forward import ExchangedForward
from opyard.models.fall_through import FallThrough
from opyard.models.inside import Inside
from opyard.models.mlp import MlpForward
from opyard.models.norm import NormForward

PARTS = ("input_layernorm", "self_attn", "post_attention_layernorm", "mlp")


class LayerForward(ExchangedForward):
    """Whatever it does not serve as a whole goes to the original, whose parts then decide for themselves: only that
    the layer as a whole was not served is no fall-through and is not counted.
    """

    def __init__(self, module: nn.Module, path: str, fall_through: FallThrough) -> None:
        super().__init__(module, path, fall_through)
        parts: Any = [vars(module._modules[name])["forward"] for name in PARTS]
        self.norm_before: NormForward = parts[0]
        self.attention: AttentionForward = parts[1]
        self.norm_after: NormForward = parts[2]
        self.mlp: MlpForward = parts[3]
        self.parameters = (self.norm_before.parameters, self.norm_after.parameters, *self.mlp.parameters)
        self.inside = Inside(module, PARTS) + self.attention.inside + self.mlp.inside

    def __call__(self, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Any:
        step = kwargs.get("position_embeddings")
        reason = ARGUMENTS if args else self.inside.changed()
        if reason is None:
            reason = self.attention.unserved_reason(hidden_states, step, kwargs)
        if reason is None and step.recording and records_gradient(hidden_states, self.parameters):  # type: ignore[union-attr]
            reason = GRADIENT
        if reason is not None:
            return self.original(hidden_states, *args, **kwargs)
        shape = hidden_states.shape
        x = hidden_states.reshape(-1, shape[2])
        # The operators' results are ours alone: the residual is added into them.
        attended = self.attention.serve(self.norm_before.serve(x), shape[0], shape[1], kwargs).add_(x)
        return self.mlp.serve(self.norm_after.serve(attended)).add_(attended).view(shape)
