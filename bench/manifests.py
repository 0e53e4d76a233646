"""What it costs to load manifests at run time: the reference catalogue, all 206 entries, in fresh processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from timing import figure

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))

from reference_catalogue import fetched  # noqa: E402

_CODE = """
import sys, time
import opyard
start = time.perf_counter()
loaded = opyard.load_manifest(sys.argv[1])
print(len(loaded), time.perf_counter() - start)
"""


def figures() -> list[dict[str, Any]]:
    cache = ROOT / "build" / "reference_catalogue"
    cache.mkdir(parents=True, exist_ok=True)
    folder = fetched(cache)
    program = ROOT / "build" / "cmake" / "bench" / "bench_manifest"
    done = subprocess.run([program, folder], check=True, capture_output=True, text=True)
    return [_load(folder), *(json.loads(line) for line in done.stdout.splitlines())]


def _load(folder: Path) -> dict[str, Any]:
    """Its operators get other names than ours, which would be declared twice."""
    with tempfile.TemporaryDirectory() as renamed:
        for file in folder.glob("*.yaml"):
            (Path(renamed) / file.name).write_text(re.sub(r"\b(?=\w+Op\b)", "Reference", file.read_text()))
        command = [sys.executable, "-c", _CODE, renamed]
        runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(5)]
    assert {int(count) for count, _ in runs} == {206}
    return figure("manifest.load_ms", min(float(seconds) for _, seconds in runs) * 1e3, "ms")
