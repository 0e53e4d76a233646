"""RMSNorm modules, served by RMSNormFwdOp."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from opyard.models.conditions import GRADIENT, records_gradient, unserved_reason
from opyard.models.exchanged_forward import ExchangedForward
from opyard.models.fall_through import FallThrough


class NormForward(ExchangedForward):
    def __init__(self, module: nn.Module, path: str, fall_through: FallThrough, operator: Any) -> None:
        super().__init__(module, path, fall_through)
        self.operator = operator
        self.parameters = module._parameters

    def __call__(self, hidden_states: Tensor) -> Tensor:
        weight: Any = self.parameters["weight"]
        if torch.is_grad_enabled() and records_gradient(hidden_states, (self.parameters,)):
            return self.fall(GRADIENT, hidden_states)  # type: ignore[no-any-return]
        reason = unserved_reason(hidden_states, weight.dtype)
        if reason is not None:
            return self.fall(reason, hidden_states)  # type: ignore[no-any-return]
        return self.serve(hidden_states)

    def serve(self, x: Tensor) -> Tensor:
        return self.operator(x, self.parameters["weight"])  # type: ignore[no-any-return]
