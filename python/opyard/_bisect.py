"""Finds the implementation at fault by setting halves of them aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opyard import _C
from opyard.choices import Choice, _Decision

Implementation = tuple[str, str]


def find(check: Callable[[], Any]) -> str | None:
    _C.reset_served()
    if _passes(check, ()):
        return None
    # What ran while it failed, but for the general ones, which everything can fall back to.
    suspects = _specialised()
    if not _passes(check, suspects):
        raise RuntimeError(
            "bisect: the check fails without "
            + (", ".join(".".join(s) for s in suspects) or "any specialised implementation")
            + ", too; so none of them is what makes it fail"
        )
    # Setting `suspects` aside makes it pass; the half that does so alone holds the culprit.
    while len(suspects) > 1:
        half = suspects[: len(suspects) // 2]
        suspects = half if _passes(check, half) else suspects[len(suspects) // 2 :]
    if not _passes(check, suspects):
        raise RuntimeError("bisect: several implementations make the check fail; set some aside with opyard.without")
    return ".".join(suspects[0])


def _passes(check: Callable[[], Any], banned: Sequence[Implementation]) -> bool:
    decision = _Decision(choices=tuple(("without", op, key) for op, key in banned))
    with Choice(decision, "process"):
        try:
            return check() is not False
        except Exception:  # this is how a check says that it failed
            return False


def _specialised() -> list[Implementation]:
    general = {(op, key) for op in _C.operators() for key in _C.general_keys(op)}
    return [(op, key) for op, key, _ in _C.served() if (op, key) not in general]
