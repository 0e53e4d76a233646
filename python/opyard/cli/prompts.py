"""The questions that a run answers."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from opyard.cli.error import CliError


def read_prompts(prompt: str | None, prompt_file: Path | None) -> list[str]:
    if prompt is not None and prompt_file is not None:
        raise CliError("give either a prompt or --prompt-file, not both")
    if prompt is not None:
        if not prompt.strip():
            raise CliError("the prompt is empty")
        return [prompt]
    if prompt_file is None:
        return _lines(resources.files("opyard.cli").joinpath("prompts.txt").read_text(encoding="utf-8"))
    try:
        text = prompt_file.read_text(encoding="utf-8")
    except OSError as error:
        raise CliError(f"--prompt-file: cannot read {prompt_file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CliError(f"--prompt-file: {prompt_file} is not UTF-8 text: byte {error.start} {error.reason}") from error
    prompts = _lines(text)
    if not prompts:
        raise CliError(f"--prompt-file: {prompt_file} has no prompt in it")
    return prompts


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
