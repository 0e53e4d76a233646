"""The catalogue that the language comes from: every entry loads unchanged, every row states a valid call, and a call
with one size or dtype changed is refused exactly where a second reading of the entry refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from manifest_oracle import Call, Forbidden

from opyard import _C
from opyard.errors import SignatureError

OTHER_DTYPES = ("float32", "float64", "int16")


@pytest.fixture(scope="session")
def entries(folder: Path) -> dict[str, Any]:
    files = [file for file in sorted(folder.glob("*.yaml")) if file.name != "types.yaml"]
    return {name: entry for file in files for name, entry in yaml.safe_load(file.read_text()).items()}


@pytest.fixture(scope="session")
def cases(manifest: Any) -> dict[str, list[dict[str, Any]]]:
    return {name: manifest.workload_cases(name) for name in manifest.operators()}


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def facts_of(case: dict[str, Any]) -> dict[str, tuple[tuple[int, ...], str, bool]]:
    """(shape, dtype, whether on the CPU) of everything that a case passes."""
    tensors = {**case["inputs"], **case["construction_tensors"]}
    return {name: (shape, name_of(dtype), on_cpu) for name, (shape, dtype, _, on_cpu) in tensors.items()}


def inferred(manifest: Any, name: str, case: dict[str, Any], facts: dict[str, Any]) -> list[Any]:
    made = {
        tensor: torch.empty(shape, dtype=getattr(torch, dtype), device="cpu" if on_cpu else "meta")
        for tensor, (shape, dtype, on_cpu) in facts.items()
    }
    given = {tensor: made.pop(tensor) for tensor in case["construction_tensors"]}
    outputs = manifest.infer(name, case["params"], given, made)
    return [None if output is None else (output[0], name_of(output[1])) for output in outputs]


def expected(entry: dict[str, Any], row: dict[str, Any], facts: dict[str, Any]) -> list[Any]:
    return Call(entry, row, {tensor: (shape, dtype) for tensor, (shape, dtype, _) in facts.items()}).outputs()


def rows_of(entry: dict[str, Any], cases: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each case with the row that it comes from."""
    rows = [row for row in entry["workloads"] for _ in row.get("dtype_cases") or [None]]
    assert len(rows) == len(cases)
    return zip(rows, cases)


def test_every_entry_loads_and_validates_unchanged(folder: Path, manifest: Any, entries: dict[str, Any]) -> None:
    assert _C.validate_manifest(str(folder)) == []
    assert sorted(manifest.operators()) == sorted(entries)
    rows = sum(len(entry["workloads"]) for entry in entries.values())
    assert (len(entries), rows) == (206, 1539)
    print(f"{len(entries)} entries, {rows} workloads")


def test_every_call_returns_what_a_second_reading_says(
    manifest: Any, entries: dict[str, Any], cases: dict[str, list[dict[str, Any]]]
) -> None:
    count = 0
    for name, entry in entries.items():
        for row, case in rows_of(entry, cases[name]):
            facts = facts_of(case)
            assert inferred(manifest, name, case, facts) == expected(entry, row, facts), (name, case["id"])
            count += 1
    assert count == 2267
    print(f"{count} calls")


def mutations(facts: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls that differ from this one in one size or one dtype."""
    for tensor, (shape, dtype, on_cpu) in facts.items():
        for axis, size in enumerate(shape):
            longer = (*shape[:axis], size + 1, *shape[axis + 1 :])
            yield f"{tensor}[{axis}]", {**facts, tensor: (longer, dtype, on_cpu)}
        for other in OTHER_DTYPES:
            if other != dtype:
                yield f"{tensor} {other}", {**facts, tensor: (shape, other, on_cpu)}


def test_a_call_with_one_size_or_dtype_changed_is_refused_where_the_entry_forbids_it(
    manifest: Any, entries: dict[str, Any], cases: dict[str, list[dict[str, Any]]]
) -> None:
    refused = accepted = 0
    wrong: list[str] = []
    for name, entry in entries.items():
        rows = {id(row): (row, case) for row, case in rows_of(entry, cases[name])}
        for row, case in rows.values():  # one dtype case a row
            for change, facts in mutations(facts_of(case)):
                try:
                    wanted = expected(entry, row, facts)
                except (Forbidden, ValueError, ArithmeticError):
                    wanted = None
                try:
                    got = inferred(manifest, name, case, facts)
                except SignatureError:
                    got = None
                if got != wanted:
                    wrong.append(f"{name} {case['id']} {change}: {got}, expected {wanted}")
                refused += got is None
                accepted += got is not None
    print(f"{refused} changed calls refused, {accepted} allowed and inferred")
    assert wrong == []
    assert refused > 10_000
