"""The figures of a run, as tables for a person and as one object for a program."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from opyard.cli.compare import Comparison


def as_object(
    result: Comparison, prompts: list[str], answers: list[str], *, tokens: int, dtype: str, off: bool
) -> dict[str, Any]:
    return {
        "model": "SmolLM2-135M-Instruct",
        "dtype": dtype,
        "tokens": tokens,
        "eager": result.eager.figures(),
        "opyard": None if off else result.opyard.figures(),
        "tokens_equal": None if off else not result.differing,
        "served": result.served,
        "fell_through": result.fell_through,
        "answers": [{"prompt": p, "answer": a} for p, a in zip(prompts, answers, strict=True)],
    }


def print_tables(
    console: Console, result: Comparison, prompts: list[str], *, tokens: int, dtype: str, off: bool
) -> None:
    console.print(_figures(result, len(prompts), tokens, dtype, off))
    if off:
        return
    console.print(f"tokens equal: {_equality(result, len(prompts), tokens)}")
    served = Table("operator", "implementation", "calls", "fell through", title="what served opyard's run")
    for row in result.served:
        served.add_row(row["operator"], row["implementation"], f"{row['calls']:,}", str(row.get("fell_through", "")))
    console.print(served)
    if result.fell_through:
        fell = Table("module", "reason", "calls", title="what the model's own forwards served")
        for missed in result.fell_through:
            fell.add_row(missed["module"], missed["reason"], f"{missed['calls']:,}")
        console.print(fell)


def _figures(result: Comparison, prompts: int, tokens: int, dtype: str, off: bool) -> Table:
    title = f"{dtype}, {tokens} tokens, {prompts} prompt{'s' if prompts > 1 else ''}"
    eager = result.eager.figures()
    if off:
        table = Table("", "eager", title=title)
        for name, label in _LABELS:
            table.add_row(label, _number(eager[name]))
        return table
    ours = result.opyard.figures()
    table = Table("", "eager", "opyard", "opyard is faster by", title=title)
    for name, label in _LABELS:
        table.add_row(label, _number(eager[name]), _number(ours[name]), _ratio(name, eager[name], ours[name]))
    return table


_LABELS = (("prefill_ms", "prefill, ms"), ("decode_tokens_per_s", "decode, tokens/s"))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _ratio(name: str, eager: float | None, ours: float | None) -> str:
    if eager is None or ours is None:
        return "-"
    return f"{eager / ours if name == 'prefill_ms' else ours / eager:.2f} x"


def _equality(result: Comparison, prompts: int, tokens: int) -> str:
    if not result.differing:
        return f"yes, all {tokens} of each prompt" if prompts > 1 else f"yes, all {tokens}"
    return "no, prompts " + ", ".join(str(index + 1) for index in sorted(result.differing))
