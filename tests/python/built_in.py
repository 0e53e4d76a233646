"""The operators that opyard brings, without those that tests of other modules declare in the same process."""

from __future__ import annotations

from opyard import _C


def built_in() -> list[str]:
    return [name for name in _C.operators() if _C.describe(name)["declared_at"].startswith("manifest/")]
