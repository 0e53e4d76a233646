"""Lock files: the implementation that served each call, a line of JSON each."""

from __future__ import annotations

import json
from pathlib import Path

_FORMAT = 1


def write_lock(path: Path, selections: dict[str, str]) -> None:
    """Written aside and renamed, so that a reader finds a whole one."""
    rows = [json.dumps({"call": call, "implementation": key}) for call, key in sorted(selections.items())]
    aside = path.with_name(path.name + ".new")
    aside.write_text("\n".join([json.dumps({"opyard_lock": _FORMAT}), *rows, ""]))
    aside.replace(path)


def read_lock(path: Path) -> dict[str, str]:
    """ValueError, naming file and line, for anything that `write_lock` did not write."""
    lines = path.read_text().splitlines()
    selections: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            if number == 1:
                if row != {"opyard_lock": _FORMAT}:
                    raise ValueError(f"expected format {_FORMAT}")
                continue
            selections[row["call"]] = row["implementation"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}:{number}: this is no opyard lock file: {error}") from error
    if not lines:
        raise ValueError(f"{path}: this is no opyard lock file: it is empty")
    return selections
