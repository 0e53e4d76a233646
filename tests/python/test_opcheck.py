"""torch.library.opcheck passes for every custom op of the catalogue: schema, autograd, fake, AOT dispatch."""

from __future__ import annotations

import itertools

import pytest
import torch
from built_in import built_in

from opyard import _C, ops
from opyard.testing import edge_calls, inputs_of, sample_calls

BOUNDED = [name for name in built_in() if _C.describe(name)["compile_op_names"]]


def custom_op_of(call):
    """The custom op that a call goes through, as a tracer chooses it."""
    op = call.operator
    if not op._has_effects:
        return op._overload
    declared = _C.describe(op._name)["inputs"]
    presence = tuple(t is not None for t, (_, optional, _) in zip(inputs_of(call), declared) if optional)
    return op._effects[presence][0]


def one_call_each(name: str) -> dict[str, tuple]:
    """For each custom op of an operator, one call that goes through it."""
    found: dict[str, tuple] = {}
    wanted = len(getattr(ops, name).compile_op_names)
    for call in itertools.chain(sample_calls(name), edge_calls(name)):
        if len(found) == wanted:
            break
        if all(tensor is None or tensor.numel() for tensor in inputs_of(call)):
            overload = custom_op_of(call)
            found.setdefault(str(overload), (overload, call))
    return found


def given_to_opcheck(call) -> list[torch.Tensor | None]:
    """The call's inputs, real ones positive so that no result is NaN, which opcheck holds to differ; they require a
    gradient where the entry declares one and nothing is written."""
    entry = _C.declaration(call.operator._name)
    backward = entry["backward"]
    values = backward["gives"].values() if isinstance(backward, dict) else ()
    gives = [name for value in values for name in (value if isinstance(value, list) else [value])]
    training = getattr(call.operator, "training", True)
    inputs: list[torch.Tensor | None] = []
    for facts, tensor in zip(entry["inputs"], inputs_of(call)):
        if tensor is not None and tensor.is_floating_point():
            tensor = tensor.abs() + 0.5
            tensor.requires_grad_(training and facts["name"] in gives and not facts["mutated"])
        inputs.append(tensor)
    return inputs


@pytest.mark.parametrize("name", BOUNDED)
def test_opcheck_passes_for_every_custom_op(name):
    found = one_call_each(name)
    assert sorted(key.removesuffix(".default").replace(".", "::") for key in found) == sorted(
        getattr(ops, name).compile_op_names
    )
    for key, (overload, call) in found.items():
        results = torch.library.opcheck(overload, (*given_to_opcheck(call), call.operator._graph_key))
        assert set(results.values()) == {"SUCCESS"}, (key, results)
