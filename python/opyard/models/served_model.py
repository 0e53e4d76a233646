"""Everything that `enable` exchanged in one model, and how it is put back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor, nn

from opyard.models import attention_interface
from opyard.models.attention import AttentionForward, unserved_attention
from opyard.models.attention_configuration import AttentionConfiguration
from opyard.models.exchanged_forward import ExchangedForward, is_taken
from opyard.models.fall_through import FallThrough
from opyard.models.families import kind_of
from opyard.models.layer import PARTS, LayerForward
from opyard.models.mlp import MlpForward, unserved_mlp
from opyard.models.norm import NormForward
from opyard.models.operators import Operators
from opyard.models.rotary import RotaryForward, rotary_base

TAKEN = "its forward was exchanged by someone else before enable"


class ServedModel:
    def __init__(self, model: nn.Module, lay_out: bool) -> None:
        self.model = model
        self.fall_through = FallThrough()
        self._lay_out = lay_out
        self._operators = Operators()
        self._forwards: list[ExchangedForward] = []
        self._configurations: dict[int, AttentionConfiguration] = {}

    def exchange(self) -> None:
        attention_interface.register()
        modules = dict(self.model.named_modules())
        for path, module in modules.items():
            self._exchange_leaf(path, module)
        for path, module in modules.items():
            rotary = module._modules.get("rotary_emb")
            if rotary is not None and kind_of(rotary) == "rotary":
                self._exchange_decoder(path, module, rotary)
        for path, _ in self._free(modules.items(), "attention"):
            self.fall_through.note(path, "it stands outside a model with a rotary embedding")
        for path, module in self._free(modules.items(), "layer"):
            if all(isinstance(vars(module._modules[name]).get("forward"), ExchangedForward) for name in PARTS):
                self._put_in(LayerForward(module, path, self.fall_through))

    def put_back(self) -> None:
        for forward in reversed(self._forwards):
            forward.take_out()
        for configuration in self._configurations.values():
            configuration.put_back()
        self._forwards.clear()
        self._configurations.clear()

    def product_weights(self) -> dict[tuple[int, int], list[Tensor]]:
        """By shape (out features, in features), the weights of the products that serve the model."""
        weights = [m.weight for m in self.model.modules() if type(m) is nn.Linear]
        for forward in self._forwards:
            stacks = {AttentionForward: "qkv", MlpForward: "gate_up"}
            if (name := stacks.get(type(forward))) is not None:
                weights += getattr(forward, name).weights()
        by_shape: dict[tuple[int, int], list[Tensor]] = {}
        for weight in weights:
            by_shape.setdefault((weight.shape[0], weight.shape[1]), []).append(weight)
        return by_shape

    def _exchange_leaf(self, path: str, module: Any) -> None:
        kind = kind_of(module)
        if kind is None:
            return
        if is_taken(module):
            self.fall_through.note(path, TAKEN)
        elif kind == "norm":
            self._put_in(NormForward(module, path, self.fall_through, self._operators.norm(module)))
        elif kind == "mlp":
            if (refusal := unserved_mlp(module)) is not None:
                self.fall_through.note(path, refusal)
                return
            operators = self._operators
            self._put_in(
                MlpForward(module, path, self.fall_through, operators.gemm, operators.silu_and_mul, self._lay_out)
            )

    def _exchange_decoder(self, path: str, decoder: nn.Module, rotary: Any) -> None:
        base = rotary_base(rotary)
        refusal = base if isinstance(base, str) else None
        prefix = path + "." if path else ""
        if refusal is not None:
            self.fall_through.note(prefix + "rotary_emb", refusal)
        rope = None if isinstance(base, str) else self._operators.rope(rotary.config.max_position_embeddings, base)
        projection: nn.Module | None = None
        inside = ((prefix + name, module) for name, module in decoder.named_modules())
        for name, module in self._free(inside, "attention"):
            if (why_not := unserved_attention(module)) is not None:
                self.fall_through.note(name, why_not)
                continue
            attend = self._operators.attend(module)
            forward = AttentionForward(module, name, self.fall_through, attend, self._operators, rope, self._lay_out)
            self._put_in(forward)
            projection = module.q_proj
            if id(module.config) not in self._configurations:
                self._configurations[id(module.config)] = AttentionConfiguration(module.config)
        if projection is not None and not is_taken(rotary):
            self._put_in(RotaryForward(rotary, prefix + "rotary_emb", self.fall_through, projection, refusal))

    def _put_in(self, forward: ExchangedForward) -> None:
        forward.put_in()
        self._forwards.append(forward)

    @staticmethod
    def _free(modules: Any, kind: str) -> Iterator[tuple[str, Any]]:
        return ((path, module) for path, module in modules if kind_of(module) == kind and not is_taken(module))
