"""Eager torch and opyard on the same prompts, in one process, in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

import opyard
from opyard.cli.decode import Run, greedy
from opyard.models.fall_through import FallThroughRow
from opyard.stats import ServedRow

_WARM_UP_TOKENS = 4
# The fastest run of each prompt counts: other programs slow down a whole round now and then.
_ROUNDS_OF_ONE, _ROUNDS_OF_MANY = 3, 2


@dataclass
class Side:
    """All answers of one side: for each prompt its fastest run."""

    runs: dict[int, Run] = field(default_factory=dict)

    def add(self, prompt: int, run: Run) -> None:
        best = self.runs.get(prompt, run)
        self.runs[prompt] = Run(run.tokens, min(best.prefill_s, run.prefill_s), min(best.decode_s, run.decode_s))

    def figures(self) -> dict[str, float | None]:
        """Milliseconds a prompt, and tokens a second after each first one."""
        runs = self.runs.values()
        decoded = sum(len(run.tokens) - 1 for run in runs)
        return {
            "prefill_ms": 1e3 * sum(run.prefill_s for run in runs) / len(runs),
            "decode_tokens_per_s": decoded / sum(run.decode_s for run in runs) if decoded else None,
        }


@dataclass
class Comparison:
    eager: Side = field(default_factory=Side)
    opyard: Side = field(default_factory=Side)
    differing: set[int] = field(default_factory=set)
    served: list[ServedRow] = field(default_factory=list)
    fell_through: list[FallThroughRow] = field(default_factory=list)


def compare(
    model: Any, prompts: list[torch.Tensor], tokens: int, off: bool, on_token: Callable[[int, int], None]
) -> Comparison:
    """`on_token` gets prompt and token of the runs that are shown: opyard's, or eager's where opyard is off."""
    result = Comparison()
    for turn in range(_ROUNDS_OF_ONE if len(prompts) == 1 else _ROUNDS_OF_MANY):
        on_shown = on_token if turn == 0 else None
        if not off:
            with opyard.enable(model) as handle:
                _warm_up(model, prompts)
                opyard.reset_stats()
                _run(result.opyard, model, prompts, tokens, on_shown)
                if turn == 0:
                    result.served, result.fell_through = opyard.stats(), handle.fell_through
        _warm_up(model, prompts)
        _run(result.eager, model, prompts, tokens, on_shown if off else None)
    if not off:
        answers = [(result.eager.runs[index].tokens, result.opyard.runs[index].tokens) for index in range(len(prompts))]
        result.differing = {index for index, (eager, served) in enumerate(answers) if eager != served}
    return result


def _warm_up(model: Any, prompts: list[torch.Tensor]) -> None:
    """Enabling and disabling move the weights: the first pass over them is slower on either side."""
    greedy(model, prompts[0], _WARM_UP_TOKENS)


def _run(
    side: Side, model: Any, prompts: list[torch.Tensor], tokens: int, on_token: Callable[[int, int], None] | None
) -> None:
    for index, ids in enumerate(prompts):
        side.add(index, greedy(model, ids, tokens, None if on_token is None else partial(on_token, index)))
