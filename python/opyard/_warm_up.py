"""Calls made ready ahead of the first one, for the device that is here or for an architecture that is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from opyard import _C
from opyard.errors import SignatureTypeError
from opyard.targets import TensorSpec

Facts = tuple[tuple[int, ...], torch.dtype, torch.device]


def warm_up(op: Any, specs: Sequence[Any], named: Mapping[str, Any], arch: str | None) -> str | None:
    """`specs` stand for the inputs of one call, as its arguments would."""
    facts = _in_order(op, specs, named)
    if arch is None:
        _C.warm_up(op, facts)
        return None
    return _C.compile_ahead(op, facts, arch)


def _in_order(op: Any, specs: Sequence[Any], named: Mapping[str, Any]) -> list[Facts | None]:
    inputs = _C.describe(op._name)["inputs"]
    names = [name for name, _, _ in inputs]
    positional = [name for name, _, keyword_only in inputs if not keyword_only]
    if len(specs) > len(positional) or not set(named) <= set(names) - set(positional[: len(specs)]):
        got = [*map(str, specs), *named]
        raise SignatureTypeError(f"{op._name}.warmup: expected specs of ({', '.join(names)}), got ({', '.join(got)})")
    given = {**dict(zip(positional, specs)), **named}
    return [_facts(op, name, given.get(name)) for name in names]


def _facts(op: Any, name: str, spec: Any) -> Facts | None:
    if spec is None:
        return None
    if not isinstance(spec, (TensorSpec, torch.Tensor)):
        raise SignatureTypeError(
            f"{op._name}.warmup: argument {name}: expected an opyard.TensorSpec or a tensor, got {type(spec).__name__}"
        )
    return tuple(spec.shape), spec.dtype, torch.device(spec.device)
