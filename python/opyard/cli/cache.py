"""`opyard cache`: list, verify, clear and fill the artefact store."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch

import opyard
from opyard import _C, ops
from opyard.cli.error import CliError
from opyard.errors import BuildError, OpNotAvailableError
from opyard.targets import TensorSpec

_DEVICE = torch.device("cuda", 0)


def run_list(*, as_json: bool) -> None:
    _check_folder()
    rows = [(path, size, whole, _origin(key)) for path, size, whole, key in _C.stored(False)]
    if as_json:
        artefacts = [dict(zip(("path", "bytes", "whole", "origin"), row)) for row in rows]
        print(json.dumps({"folder": _C.store_folder(), "artefacts": artefacts}, indent=2))
        return
    for _, size, whole, origin in rows:
        print(f"{size:>9} {origin if whole else 'broken'}")
    print(f"{len(rows)} artefacts, {sum(row[1] for row in rows)} bytes in {_C.store_folder()}")


def run_verify(*, drop: bool) -> int:
    _check_folder()
    rows = _C.stored(drop)
    broken = [path for path, _, whole, _ in rows if not whole]
    for path in broken:
        print(f"{path}: broken{', removed' if drop else ''}")
    print(f"{len(rows) - len(broken)} of {len(rows)} artefacts are whole")
    return 1 if broken else 0


def run_clear() -> None:
    _check_folder()
    print(f"{_C.clear_store()} artefacts removed from {_C.store_folder()}")


def run_build(arch: str, operators: list[str], implementation: str | None) -> int:
    _check_folder()
    if unknown := [name for name in operators if name not in _C.operators()]:
        raise CliError(f"no such operator: {', '.join(unknown)}")
    served: Counter[str] = Counter()
    refused: list[str] = []
    failed = 0
    for name in operators or _C.operators():
        for label, op, specs in _workloads(name):
            forced = opyard.use(op=name, implementation=implementation) if implementation else contextlib.nullcontext()
            try:
                with forced:
                    served[f"{name} by {op.warmup(arch=arch, **specs) or 'nothing: it is empty'}"] += 1
            except OpNotAvailableError as error:
                refused.append(f"{name} {label}: {error}")
            except BuildError as error:
                failed += 1
                print(f"{name} {label}: {error}")
    for row, count in sorted(served.items()):
        print(f"{row}: {count} workloads")
    for text in refused if operators else []:
        print(text)
    counts = _C.store_counts()
    print(f"{counts['builds']} artefacts built, {counts['hits']} found, {failed} workloads failed, for {arch}")
    return 1 if failed else 0


def _workloads(name: str) -> Iterator[tuple[str, Any, dict[str, TensorSpec]]]:
    """Each workload that the operator declares: its label, the operator constructed for it, and its tensors."""
    cls = getattr(ops, name)
    if cls._written or not _C.describe(name)["inputs"]:
        return  # asks for kernels as it runs, or has no tensor that says where
    for case in _C.sample_cases(name, False, None, None):
        inputs = {key: TensorSpec(_DEVICE, facts[1], facts[0]) for key, facts in case.inputs.items() if facts}
        yield case.label, cls(**case.params), inputs


def _check_folder() -> None:
    if (refusal := _C.store_refusal()) is not None:
        raise CliError(f"the artefact store is not used: {refusal}")


def _origin(key: str) -> str:
    """Compiler, architecture and function: what the key of an artefact begins with."""
    return " ".join(key.split("\n")[:4])
