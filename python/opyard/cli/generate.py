"""`opyard generate`: load, compare, print."""

from __future__ import annotations

import json
import sys

from rich.console import Console

from opyard.cli.compare import compare
from opyard.cli.model import load_model, prompt_ids
from opyard.cli.report import as_object, print_tables
from opyard.cli.stream import AnswerStream


def run_generate(prompts: list[str], *, tokens: int, dtype: str, off: bool, as_json: bool) -> None:
    console = Console(file=sys.stderr if as_json else sys.stdout)
    with console.status("Loading SmolLM2-135M-Instruct") if console.is_terminal else _Quiet():
        model = load_model(dtype)
    stream = AnswerStream(model, prompts, None if as_json else sys.stdout)
    result = compare(model.model, [prompt_ids(model, prompt) for prompt in prompts], tokens, off, stream.on_token)
    stream.end()
    if as_json:
        print(json.dumps(as_object(result, prompts, stream.answers, tokens=tokens, dtype=dtype, off=off), indent=2))
    else:
        print_tables(console, result, prompts, tokens=tokens, dtype=dtype, off=off)


class _Quiet:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...
