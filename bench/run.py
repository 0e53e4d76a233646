"""Runs every benchmark and writes build/bench.json: one object a figure, with name, value, unit, and where it has one
the peer that ran beside it and the ratio."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import calls
import imports
import manifests
import overrides
import threads
import workloads

import kernels

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "cmake" / "bench"


def programs() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for program in sorted(PROGRAMS.glob("bench_*")):
        if program.is_file() and program.suffix == "":
            done = subprocess.run([program], check=True, capture_output=True, text=True)
            rows += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return rows


def main() -> None:
    rows = programs()
    rows += (
        overrides.figures(rows)
        + imports.figures()
        + manifests.figures()
        + calls.figures()
        + threads.figures()
        + kernels.figures()
        + workloads.figures()
    )
    target = ROOT / "build" / "bench.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(rows, indent=1) + "\n")
    for row in rows:
        peer = f"   {row['ratio']:6.2f} x {row['peer']}" if "peer" in row else ""
        print(f"{row['name']:40} {row['value']:12.2f} {row['unit']:4}{peer}")


if __name__ == "__main__":
    main()
