"""Calls drawn from an operator's workloads, generators and rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import torch

from opyard import _C, ops
from opyard._op import Op

OperatorLike = type[Op] | Op | str


class SampleCall(NamedTuple):
    """A constructed operator, the arguments of one valid call, and what the call is about.

    Tensors that the entry always takes come by position, optional ones by name and only where they are passed.
    """

    operator: Op
    args: tuple[torch.Tensor, ...]
    kwargs: dict[str, torch.Tensor]
    label: str


def sample_calls(
    operator: OperatorLike,
    device: torch.device | str = "cpu",
    dtype: torch.dtype | None = None,
    small: bool = True,
) -> Iterator[SampleCall]:
    """The calls that the operator's workloads state, no call twice.

    operator: its class, its name, or an instance, whose parameters then hold for every call.
    device: where the tensors are made; "meta" makes them without contents.
    dtype: of the first dtype index that the entry declares, or of its first dtype parameter. None: as the rows say.
    small: sizes, and integer parameters of a class, are scaled down as far as the entry's own rules go along; different
        sizes stay different where they can.

    Contents are those of the entry's generators where it names one, else random numbers that are the same every time.
    """
    name, cls, instance = _named(operator)
    yield from _calls(cls, instance, _C.sample_cases(name, small, dtype, instance), torch.device(device))


def edge_calls(
    operator: OperatorLike, device: torch.device | str = "cpu", dtype: torch.dtype | None = None
) -> Iterator[SampleCall]:
    """Valid calls at the edges of the declaration, at test size.

    Every bool, enum, optional parameter and optional tensor each way (all combinations where they are few, else each
    alone and each pair); each size 0, 1, 13 and 67; other ranks and broadcasts; small values of integer parameters;
    each tensor, and all at once, strided, transposed in memory, expanded, and inside a larger storage. What a rule
    forbids is left out. Arguments as in `sample_calls`.
    """
    name, cls, instance = _named(operator)
    yield from _calls(cls, instance, _C.edge_cases(name, dtype, instance), torch.device(device))


def random_calls(
    operator: type[Op] | str, count: int, seed: int = 0, device: torch.device | str = "cpu"
) -> Iterator[SampleCall]:
    """Up to `count` different valid calls with random small sizes, parameters and dtypes, as `seed` decides."""
    name, cls, _ = _named(operator)
    yield from _calls(cls, None, _C.random_cases(name, count, seed), torch.device(device))


def dtypes_of(operator: OperatorLike) -> list[torch.dtype]:
    """What `dtype` may be in the functions above; empty where the declaration leaves no choice."""
    return _C.sample_dtypes(_named(operator)[0])


def _named(operator: OperatorLike) -> tuple[str, type[Op], Op | None]:
    if isinstance(operator, str):
        return operator, getattr(ops, operator), None
    if isinstance(operator, Op):
        return operator._name, type(operator), operator
    if isinstance(operator, type) and issubclass(operator, Op) and operator._name:
        return operator._name, operator, None
    raise TypeError(f"expected an operator's class, its name or an instance, got {operator!r}")


def _calls(
    cls: type[Op], instance: Op | None, cases: list[_C.SampleCase], device: torch.device
) -> Iterator[SampleCall]:
    inputs = _C.describe(cls._name)["inputs"]
    for case in cases:
        tensors = case.tensors(cls._name, device)
        required = [name for name, optional, keyword_only in inputs if not optional and not keyword_only]
        passed = {name: tensor for name, tensor in tensors.items() if tensor is not None}
        args = tuple(passed.pop(name) for name in required)
        params = case.params
        if not inputs and "device" in cls._parameters:
            params["device"] = str(device)  # no tensor says where
        params.update(case.construction_tensors(cls._name, device))
        yield SampleCall(instance or cls(**params), args, passed, case.label)
