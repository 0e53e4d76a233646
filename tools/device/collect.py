"""Turns what tools/device/run.sh measured into docs/device_figures.json, and that into docs/device_figures.md.

Argument: the folder of results; without one the page is written anew from the JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
DATA, PAGE = DOCS / "device_figures.json", DOCS / "device_figures.md"


def collected(results: Path) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name in ("rows.json", "first_call.json"):
        figures.update(json.loads((results / name).read_text()))
    return figures


def table(rows: list[dict[str, Any]]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row["tb_per_s"]))
    lines = [f"| rows x columns | {' | '.join(names)} | of the copy |", "| --- |" + " --: |" * (len(names) + 1)]
    for row in rows:
        figures = row["tb_per_s"]
        cells = [f"{figures[name]:.2f}" if name in figures else "" for name in names]
        share = figures["opyard"] / figures["copy"]
        lines.append(f"| {row['rows']} x {row['columns']} | {' | '.join(cells)} | {share:.3f} |")
    return lines


def page(figures: dict[str, Any]) -> str:
    lines = [
        "# Figures on a GPU",
        "",
        f"Written by `tools/device/collect.py` from one run on an {figures['device']} with torch {figures['torch']}.",
        "Bandwidths are TB/s, read and written, medians of triton's do_bench, in bfloat16.",
        "Where a call takes longer on the host than its kernel on the GPU, the figure is the host's.",
    ]
    for name, rows in figures.items():
        if name.endswith("_bfloat16"):
            lines += ["", f"## {name.removesuffix('_bfloat16')}", "", *table(rows)]
    host = figures["host_us"]
    lines += ["", "## Host, microseconds a call of 8 x 4096", "", f"| {' | '.join(host)} |", "| --: " * len(host) + "|"]
    lines += [f"| {' | '.join(f'{value:.2f}' for value in host.values())} |"]
    if first := figures.get("first_call_ms"):
        lines += ["", "## First call, milliseconds", ""]
        lines += [f"With an empty artefact store {first['cold']:.1f}, with a filled one {first['stored']:.2f}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    if len(sys.argv) > 1:
        DATA.write_text(json.dumps(collected(Path(sys.argv[1])), indent=1) + "\n")
    PAGE.write_text(page(json.loads(DATA.read_text())))


if __name__ == "__main__":
    main()
