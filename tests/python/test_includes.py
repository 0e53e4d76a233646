"""What a file of src/ may include follows from its folder: a step of a call's way, a way in, or the ground."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GROUND = {"error", "manifest", "signature", "registry"}
# The steps in their order; each may include the ground and those before it.
STEPS = ["cache", "target", "select", "build", "run", "record"]
WAYS_IN = {"override", "boundary", "python"}
# Headers of values that a later step makes and the ground stores.
LOANS = {("registry", "cache"), ("registry", "select")}

FILES = sorted(
    path for path in (ROOT / "src").rglob("*") if path.suffix in (".h", ".cpp") and path.parent.name != "src"
)


def may_include(folder: str) -> set[str]:
    if folder in WAYS_IN:
        others = WAYS_IN - {folder} if folder == "python" else set()
        return GROUND | {*STEPS, "call"} | others
    if folder == "call":
        return GROUND | set(STEPS)
    if folder in STEPS:
        return GROUND | set(STEPS[: STEPS.index(folder)])
    return GROUND | {other for loaner, other in LOANS if loaner == folder}


@pytest.mark.parametrize("folder", sorted({path.parent.name for path in FILES}))
def test_a_step_includes_only_the_ground_and_earlier_steps(folder: str) -> None:
    folders = {path.parent.name for path in FILES}
    wrong = [
        f"{path.relative_to(ROOT)}: {included}"
        for path in FILES
        if path.parent.name == folder
        for included in re.findall(r"#include <(\w+)/", path.read_text(encoding="utf-8"))
        if included in folders and included != folder and included not in may_include(folder)
    ]
    assert wrong == []
