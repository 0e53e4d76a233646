"""`python tools/write_docs.py [--check]`: writes docs/operators, a page an operator, from the built-in declarations.

With --check it writes nothing, and its exit status is 1 where a page is missing, stale or of no operator.
"""

from __future__ import annotations

import sys
from pathlib import Path

from opyard import _C
from opyard._document import page

NOT_REAL = {"bool", "uint8", "int8", "int16", "int32", "int64"}
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "operators"


def index(pages: dict[str, str]) -> str:
    """The first page: every operator by family."""
    families: dict[str, list[str]] = {}
    for name in pages:
        facts = _C.declaration(name)
        families.setdefault(facts["family"], []).append(f"- [{name}]({name}.md): {facts['summary']}")
    parts = ["# Operators", "Written by tools/write_docs.py from the manifest: change the entry, then run `make docs`."]
    for family in sorted(families):
        parts.append("\n".join([f"## {family}", "", *families[family]]))
    return "\n\n".join([*parts, table(sorted(pages))]) + "\n"


def places(name: str) -> list[str]:
    """The row of an operator: what happens to it in a graph, in a new process, under autograd and under vmap."""
    facts, ops = _C.declaration(name), _C.describe(name)["compile_op_names"]
    held = ", ".join(tensor["name"] for tensor in facts["construction_tensors"])
    compiled = "one node" if ops else "its parts are traced" if facts["composition"] else "runs while tracing"
    reloaded = f"without {held}" if ops and held else "yes" if ops else "as its parts" if facts["composition"] else "no"
    real = [output for output in facts["outputs"] if output["dtype"] not in NOT_REAL]
    by = facts["backward"]
    gradient = (
        "aten"
        if by == "aten"
        else by["op"]
        if by
        else "as its parts"
        if facts["composition"]
        else "refused"
        if real
        else "none to record"
    )
    batched = ", ".join(facts["parallel"] or []) if ops else "-"
    return [f"[{name}]({name}.md)", compiled, reloaded, gradient, batched or "a call for each item"]


def table(names: list[str]) -> str:
    """Where every operator goes; tests/python hold each column to what happens."""
    head = ["operator", "torch.compile", "export, reload", "gradient by", "vmap along"]
    rows = [head, ["---"] * len(head), *map(places, names)]
    return "## Where each operator goes\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def pages() -> dict[str, str]:
    """File name to text, for every built-in operator."""
    brought = [name for name in _C.operators() if _C.describe(name)["declared_at"].startswith("manifest/")]
    written = {name: page(name) for name in brought}
    return {"README.md": index(written)} | {f"{name}.md": text for name, text in written.items()}


def stale(folder: Path = FOLDER) -> list[str]:
    """The files that `main` would write, change or remove."""
    wanted = pages()
    present = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.md")}
    return sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def main(arguments: list[str]) -> int:
    """Writes the pages, or checks them."""
    if "--check" in arguments:
        names = stale()
        for name in names:
            print(f"docs/operators/{name} is not what the manifest says; run make docs", file=sys.stderr)
        return 1 if names else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for file in FOLDER.glob("*.md"):
        if file.name not in wanted:
            file.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
