"""The operator instances that a model's modules share: one for each set of parameters."""

from __future__ import annotations

from typing import Any

from torch import nn

import opyard.ops as ops
from opyard.models.attention_interface import Attend


class Operators:
    """Instances are shared because modules constructed alike then share their plans, and one call's decision serves all
    layers.
    """

    def __init__(self) -> None:
        self.gemm = ops.GEMMFwdOp()
        self.silu_and_mul = ops.SiLUAndMulFwdOp()
        self._instances: dict[tuple[Any, ...], Any] = {}

    def norm(self, module: Any) -> Any:
        shape, eps = list(module.weight.shape), module.variance_epsilon
        return self._shared(("norm", *shape, eps), lambda: ops.RMSNormFwdOp(normalized_shape=shape, eps=eps))

    def rope(self, max_position: int, base: float) -> Any:
        return self._shared(
            ("rope", max_position, base), lambda: ops.RoPENeoxPositionIdsFwdOp(max_position=max_position, base=base)
        )

    def attend(self, module: nn.Module) -> Attend:
        scaling: Any = module.scaling
        dropout: Any = module.attention_dropout
        return self._shared(  # type: ignore[no-any-return]
            ("attend", scaling, dropout),
            lambda: Attend(
                ops.GQADenseFwdOp(is_causal=False, sm_scale=scaling),
                ops.GQADenseFwdOp(is_causal=True, sm_scale=scaling),
                scaling,
                dropout,
            ),
        )

    def _shared(self, key: tuple[Any, ...], make: Any) -> Any:
        if key not in self._instances:
            self._instances[key] = make()
        return self._instances[key]
