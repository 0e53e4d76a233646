"""Small models with random weights, of every family that `enable` serves."""

from __future__ import annotations

from typing import Any

import torch
import transformers

_COMMON = {
    "vocab_size": 97,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}

# name: family, what its configuration has beside the common
CONFIGURATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {}),
    "llama-biases": ("Llama", {"attention_bias": True, "mlp_bias": True}),
    "llama-one-kv-head": ("Llama", {"num_key_value_heads": 1}),
    "llama-tied": ("Llama", {"tie_word_embeddings": True}),
    "mistral": ("Mistral", {"sliding_window": None}),
    "mistral-window": ("Mistral", {"sliding_window": 5}),
    "qwen2": ("Qwen2", {}),
    "qwen2-window": ("Qwen2", {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1}),
    "qwen3": ("Qwen3", {"head_dim": 16}),
    "qwen3-wide-heads": ("Qwen3", {"head_dim": 32}),
}


def build(name: str, dtype: torch.dtype = torch.float32, **more: Any) -> Any:
    """In eval mode, with weights large enough that every module changes the logits."""
    family, own = CONFIGURATIONS[name]
    configuration = getattr(transformers, family + "Config")(**{**_COMMON, **own, **more})
    torch.manual_seed(0)
    model = getattr(transformers, family + "ForCausalLM")(configuration).eval()
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            if "norm" in parameter_name:
                parameter.uniform_(0.5, 1.5)
            else:
                parameter.normal_(std=0.3)
    return model.to(dtype)


def prompts(batch: int = 2, length: int = 9, padding: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids and an attention mask: the first row is padded on the left."""
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(3, 97, (batch, length), generator=generator)
    mask = torch.ones_like(ids)
    mask[0, :padding] = 0
    return ids, mask


def served(stats: list[dict[str, Any]]) -> dict[str, int]:
    """Calls by operator."""
    calls: dict[str, int] = {}
    for row in stats:
        calls[row["operator"]] = calls.get(row["operator"], 0) + row["calls"]
    return calls
