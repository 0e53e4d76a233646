"""Which module of which model family is which kind, told by the class that defines its forward."""

from __future__ import annotations

from torch import nn

_MODULES = frozenset(
    f"transformers.models.{family}.modeling_{family}" for family in ("llama", "mistral", "qwen2", "qwen3")
)

_SUFFIXES = {
    "RMSNorm": "norm",
    "MLP": "mlp",
    "RotaryEmbedding": "rotary",
    "Attention": "attention",
    "DecoderLayer": "layer",
}


def kind_of(module: nn.Module) -> str | None:
    """The kind of a served family's module, or None. A subclass counts while it keeps the family's forward."""
    owner = next((cls for cls in type(module).__mro__ if "forward" in vars(cls)), None)
    if owner is None or owner.__module__ not in _MODULES:
        return None
    return next((kind for suffix, kind in _SUFFIXES.items() if owner.__name__.endswith(suffix)), None)
