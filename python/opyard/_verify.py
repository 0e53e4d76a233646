"""Runs the selected implementation and the general one, and compares them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from opyard import _C
from opyard.choices import Choice, Scope, _Decision


@dataclass(frozen=True)
class Difference:
    """An output on which two implementations disagree, at the place where they do so most."""

    operator: str
    implementation: str
    against: str
    output: str
    call: str
    largest: float
    allowed: float


@dataclass
class Verification:
    """What `verify` found, complete after its block."""

    compared: int = 0
    differences: list[Difference] = field(default_factory=list)

    def raise_for_differences(self) -> None:
        if self.differences:
            lines = "\n".join(f"  {d}" for d in self.differences)
            raise AssertionError(f"implementations disagree in {len(self.differences)} outputs:\n{lines}")


@contextmanager
def verify(*, scope: Scope = "thread") -> Iterator[Verification]:
    """In the block each call runs the selected implementation, whose results count, and the general one beside it."""
    found = Verification()
    _C.take_differences()
    with Choice(_Decision(verify=True), scope):
        try:
            yield found
        finally:
            compared, rows = _C.take_differences()
            found.compared = compared
            found.differences = [Difference(*row) for row in rows]
