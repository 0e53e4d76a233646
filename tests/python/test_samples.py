"""What opyard.testing draws from an entry: valid calls, at test size, with every edge that the rules allow."""

from __future__ import annotations

import functools

import pytest
import torch
from built_in import built_in

from opyard import _C, ops
from opyard.testing import dtypes_of, edge_calls, inputs_of, random_calls, sample_calls

OPERATORS = built_in()


def tensors(call):
    return [t for t in inputs_of(call) if t is not None]


@functools.lru_cache(maxsize=256)
def all_calls(name):
    return [*sample_calls(name), *edge_calls(name)]


@pytest.mark.parametrize("name", OPERATORS)
def test_samples_are_small(name):
    assert max((max(t.shape, default=1) for call in sample_calls(name) for t in tensors(call)), default=0) <= 32


@pytest.mark.parametrize("name", OPERATORS)
def test_full_size_samples_are_the_rows(name):
    labels = [case.label for case in _C.sample_cases(name, False, None, None)]
    rows = _C.declaration(name)["workloads"]
    assert len(labels) == sum(len(row.get("dtype_cases", [None])) for row in rows)
    assert all(any(label.startswith(row["label"]) for label in labels) for row in rows)


EDGES = {
    "an empty tensor": lambda t: t.numel() == 0,
    "a dim of 1": lambda t: 1 in t.shape,
    "an odd dim": lambda t: 67 in t.shape,
    "gaps between elements": lambda t: t.dim() > 0 and t.stride(-1) == 2,
    "an expanded tensor": lambda t: 0 in t.stride(),
    "an offset storage": lambda t: t.storage_offset() == 3,
    "exchanged dims": lambda t: t.dim() > 1 and t.numel() > 0 and t.mT.is_contiguous() and not t.is_contiguous(),
}


def has_room(name, edge):
    """Whether the entry has a tensor that can have the edge: with the dims that it needs, and not written."""
    least = 2 if edge == "exchanged dims" else 1
    written = {t["name"] for t in _C.declaration(name)["inputs"] if t["mutated"] and edge == "an expanded tensor"}
    return any(
        facts is not None and len(facts[0]) >= least and tensor not in written
        for case in _C.sample_cases(name, True, None, None)
        for tensor, facts in case.inputs.items()
    )


@pytest.mark.parametrize(("name", "edge"), [(n, e) for n in OPERATORS for e in EDGES if has_room(n, e)])
def test_edges_have(name, edge):
    assert any(EDGES[edge](t) for call in all_calls(name) for t in tensors(call))


@pytest.mark.parametrize("name", OPERATORS)
def test_every_optional_tensor_is_passed_and_absent(name):
    calls = all_calls(name)
    for tensor in _C.declaration(name)["inputs"]:
        passed = {tensor["name"] in call.kwargs for call in calls}
        if tensor["optional"] and not forbidden(name, tensor["name"]):
            assert passed == {True, False}, tensor["name"]
        elif not tensor["optional"] and not tensor["present_when"]:
            assert passed == {tensor["kw_only"]}, tensor["name"]


def forbidden(name, tensor):
    """Whether a rule of the entry always forbids the tensor."""
    return any(rule == f"not present({tensor})" for _, rule in _C.declaration(name)["rules"])


@pytest.mark.parametrize("name", OPERATORS)
def test_every_bool_and_enum_takes_each_of_its_values(name):
    seen = {}
    for call in all_calls(name):
        for param, value in _C.parameters(call.operator).items():
            if isinstance(value, (bool, str)):
                seen.setdefault(param, set()).add(value)
    for param in _C.declaration(name)["params"]:
        members = [m.strip() for m in param["type"].split("|")]
        if members == ["bool"]:
            assert seen[param["name"]] == {True, False}, param
        elif all(m.startswith("'") for m in members):
            assert seen[param["name"]] == {m.strip("'") for m in members}, param


FORBIDDEN = {
    "no query head without its key head": ("GQADenseFwdOp", lambda c: c.args[0].shape[2] % c.args[1].shape[2] != 0),
    "no attention without keys": ("GQADenseFwdOp", lambda c: c.args[1].shape[1] == 0),
    "no norm over no dims": ("RMSNormFwdOp", lambda c: len(_C.parameters(c.operator)["normalized_shape"]) == 0),
    "no odd rotation": ("RoPENeoxPositionIdsFwdOp", lambda c: (_C.parameters(c.operator)["rotary_dim"] or 0) % 2 != 0),
    "no position outside": (
        "RoPENeoxPositionIdsFwdOp",
        lambda c: c.args[1].numel() > 0 and int(c.args[1].max()) >= _C.parameters(c.operator)["max_position"],
    ),
}


@pytest.mark.parametrize("fact", FORBIDDEN)
def test_what_a_rule_forbids_is_left_out(fact):
    name, broken = FORBIDDEN[fact]
    assert not [call.label for call in (*all_calls(name), *random_calls(name, 100)) if broken(call)]


@pytest.mark.parametrize("name", OPERATORS)
def test_a_dtype_that_is_asked_for_is_had(name):
    for dtype in dtypes_of(name):
        calls = [*sample_calls(name, "meta", dtype), *edge_calls(name, "meta", dtype)]
        assert calls
        if "T" in dict(_C.declaration(name)["forall"]):
            assert all(dtype in {t.dtype for t in tensors(call)} for call in calls)


def test_an_instance_keeps_its_parameters():
    norm = ops.RMSNormFwdOp(normalized_shape=[24], eps=1e-3)
    calls = [*sample_calls(norm), *edge_calls(norm)]
    assert {id(call.operator) for call in calls} == {id(norm)}
    assert {call.args[0].shape[-1] for call in calls} == {24}


def test_a_tensor_of_the_constructor_is_given_and_absent():
    given = [_C.parameters(call.operator).get("rescale_factors") for call in all_calls("LongRoPEFwdOp")]
    assert any(factors is None for factors in given)
    assert any(factors is not None for factors in given)
    for call, factors in zip(all_calls("LongRoPEFwdOp"), given):
        assert factors is None or factors.shape == (call.args[0].shape[-1] // 2,)
        assert factors is None or bool((factors >= 1).all())


def test_an_instance_keeps_the_tensor_that_it_was_given():
    rope = ops.LongRoPEFwdOp(input_layout="2d", max_position=131072, rescale_factors=torch.ones(32))
    assert {call.args[0].shape[-1] for call in sample_calls(rope, small=False)} == {64}


def test_class_name_and_seed_decide_every_number():
    first, second = sample_calls("GEMMFwdOp"), sample_calls(ops.GEMMFwdOp)
    for a, b in zip(first, second, strict=True):
        assert a.label == b.label
        assert all(torch.equal(x, y) for x, y in zip(tensors(a), tensors(b), strict=True))
    shapes = [[t.shape for c in random_calls("GEMMFwdOp", 20, seed=s) for t in tensors(c)] for s in (1, 1, 2)]
    assert shapes[0] == shapes[1] != shapes[2]


def test_calls_on_the_meta_device_have_no_contents():
    for call in sample_calls("RoPENeoxPositionIdsFwdOp", device="meta"):
        assert {t.device.type for t in tensors(call)} == {"meta"}


@pytest.mark.parametrize("wrong", [3, torch.nn.Linear, None])
def test_what_is_no_operator_is_refused(wrong):
    with pytest.raises(TypeError, match="operator's class"):
        next(sample_calls(wrong))
