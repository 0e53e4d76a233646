"""The answers as they come: text for tokens, up to the end of text."""

from __future__ import annotations

from typing import TextIO

from opyard.cli.model import Model


class AnswerStream:
    def __init__(self, model: Model, prompts: list[str], out: TextIO | None) -> None:
        self._model = model
        self._prompts = prompts
        self._out = out
        self._current: int | None = None
        self._tokens: list[int] = []
        self._ended = False
        self.answers = [""] * len(prompts)

    def on_token(self, prompt: int, token: int) -> None:
        if prompt != self._current:
            self.end()
            self._current, self._tokens, self._ended = prompt, [], False
            self._write(f"> {self._prompts[prompt]}\n")
        self._ended = self._ended or token in self._model.end_of_text
        if self._ended:
            return
        self._tokens.append(token)
        text: str = self._model.tokenizer.decode(self._tokens, skip_special_tokens=True)
        # A character of several tokens is shown when its last one is there.
        if not text.endswith("\N{REPLACEMENT CHARACTER}"):
            self._write(text[len(self.answers[prompt]) :])
            self.answers[prompt] = text

    def end(self) -> None:
        if self._current is not None:
            self._write("\n\n")
        self._current = None

    def _write(self, text: str) -> None:
        if self._out is not None:
            self._out.write(text)
            self._out.flush()
