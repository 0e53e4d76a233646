"""Every fault of manifests, a line each."""

from __future__ import annotations

from pathlib import Path

from opyard.cli.error import CliError


def run_validate(paths: list[Path]) -> int:
    """Prints the faults; 0 without any, 1 otherwise. CliError for what cannot be read."""
    from opyard._C import validate_manifest

    for path in paths:
        _require_readable(path)
    faults = [line for path in paths for line in validate_manifest(str(path))]
    for line in dict.fromkeys(faults):
        print(line)
    return 1 if faults else 0


def _require_readable(path: Path) -> None:
    try:
        for file in sorted(path.glob("*.yaml")) if path.is_dir() else [path]:
            with file.open("rb"):
                pass
    except OSError as error:
        raise CliError(f"{error.filename}: {error.strerror}") from error
    if path.is_dir() and not any(path.glob("*.yaml")):
        raise CliError(f"{path}: the folder holds no manifest (*.yaml)")
