"""Writes docs/requirements.md: each requirement with the tests that name it. `--check` compares instead; `--strict`
also fails where a requirement has no test."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "requirements.md"

_IDS = re.compile(r"[CN]\d+")
_CXX = re.compile(r"TEST(?:_F|_P)?\((?P<suite>\w+), (?P<name>\w+)\)(?P<body>.*?)\n}", re.S)
_PROPERTY = re.compile(r'RecordProperty\("requirement", "(?P<ids>[^"]*)"\)')


def requirements() -> dict[str, str]:
    """Text by id, in the order of the files."""
    lines = [
        line for path in sorted((ROOT / "docs/requirements").glob("*.txt")) for line in path.read_text().splitlines()
    ]
    return dict(line.split(" ", 1) for line in lines if line)


def tests() -> dict[str, list[str]]:
    """Names of tests by the id that they prove."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name, ids in _marked(path):
            for identifier in ids:
                found[identifier].append(f"{path.relative_to(ROOT)}::{name}")
    for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
        for test in _CXX.finditer(path.read_text()):
            for match in _PROPERTY.finditer(test["body"]):
                for identifier in _IDS.findall(match["ids"]):
                    found[identifier].append(f"{path.relative_to(ROOT)}::{test['suite']}.{test['name']}")
    return found


def _marked(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The tests of a file that carry the marker, with its ids."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func).split(".")[-1] == "requirement":
                yield node.name, [ast.literal_eval(argument) for argument in mark.args]


def page(known: dict[str, str], proven: dict[str, list[str]]) -> str:
    missing = [identifier for identifier in known if identifier not in proven]
    lines = [
        "# Requirements",
        "",
        "Written by `tools/requirements.py` from `docs/requirements/` and the tests that name an id.",
        "",
        f"{len(known) - len(missing)} of {len(known)} have a test."
        + (f" Without one: {', '.join(missing)}." if missing else ""),
        "",
        "| id | requirement | tests | state |",
        "| --- | --- | --- | --- |",
    ]
    for identifier, text in known.items():
        named = proven.get(identifier, [])
        lines.append(f"| {identifier} | {text} | {'<br>'.join(named)} | {'tested' if named else 'no test'} |")
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> int:
    known, proven = requirements(), tests()
    letters = {identifier[0] for identifier in known}  # of the documents whose lines are here
    faults = [
        f"{', '.join(proven[i])}: names {i}, which is no requirement"
        for i in proven
        if i[0] in letters and i not in known
    ]
    text = page(known, proven)
    if not {"--check", "--strict"} & set(arguments):
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        faults.append(f"{PAGE.relative_to(ROOT)} is not what the tests say; run tools/requirements.py")
    missing = [i for i in known if i not in proven]
    if missing:
        print("without a test:", ", ".join(missing))
    if "--strict" in arguments:
        faults += [f"{i} has no test: {known[i]}" for i in missing]
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
