"""Eager torch and opyard on the same prompts, in one process, in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

import opyard
from opyard.cli.decode import Run, greedy

_WARM_UP_TOKENS = 4
# One prompt is answered several times and the fastest counts; ten average out by themselves.
_ROUNDS_OF_ONE = 3


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
    served: list[dict[str, Any]] = field(default_factory=list)
    fell_through: list[dict[str, Any]] = field(default_factory=list)


def compare(
    model: Any, prompts: list[torch.Tensor], tokens: int, off: bool, on_token: Callable[[int, int], None]
) -> Comparison:
    """`on_token` gets prompt and token of the runs that are shown: opyard's, or eager's where opyard is off."""
    result = Comparison()
    rounds = _ROUNDS_OF_ONE if len(prompts) == 1 else 1
    greedy(model, prompts[0], _WARM_UP_TOKENS)
    if not off:
        with opyard.enable(model):
            greedy(model, prompts[0], _WARM_UP_TOKENS)
    for turn in range(rounds):
        for index, ids in enumerate(prompts):
            shown = _shown(index, on_token) if turn == 0 else None
            if not off:
                _run_opyard(result, model, index, ids, tokens, shown, count=turn == 0)
            eager = greedy(model, ids, tokens, shown if off else None)
            result.eager.add(index, eager)
            if not off and eager.tokens != result.opyard.runs[index].tokens:
                result.differing.add(index)
    return result


def _run_opyard(
    result: Comparison, model: Any, index: int, ids: torch.Tensor, tokens: int, shown: Any, count: bool
) -> None:
    with opyard.enable(model) as handle:
        opyard.reset_stats()
        result.opyard.add(index, greedy(model, ids, tokens, shown))
        if count:
            _add(result.served, opyard.stats(), ("operator", "implementation"))
            _add(result.fell_through, handle.fell_through, ("module", "reason"))


def _shown(index: int, on_token: Callable[[int, int], None]) -> Callable[[int], None]:
    return lambda token: on_token(index, token)


def _add(rows: list[dict[str, Any]], more: Any, names: tuple[str, ...]) -> None:
    """Adds the counts of `more` to the rows of the same names."""
    for row in more:
        same = next((r for r in rows if all(r[name] == row[name] for name in names)), None)
        if same is None:
            rows.append(dict(row))
            continue
        for key in row.keys() - set(names):
            same[key] = same.get(key, 0) + row[key]
