"""Properties of inference and of call checks, over random calls of every declared operator."""

from __future__ import annotations

import functools

import pytest
import torch
from built_in import built_in
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from opyard import _C
from opyard.errors import SignatureError
from opyard.testing import SampleCall, inputs_of, random_calls

OPERATORS = [name for name in built_in() if _C.declaration(name)["inputs"]]
CALLS_OF_A_SEED = 24
SEEDS = 4

# Calls are drawn in C++; the time of one says nothing.
search = settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck), derandomize=True)


@functools.lru_cache(maxsize=SEEDS)
def drawn(name: str, seed: int) -> list[SampleCall]:
    return list(random_calls(name, CALLS_OF_A_SEED, seed))


@st.composite
def calls(draw: st.DrawFn, name: str) -> SampleCall:
    """One valid call of an operator."""
    return draw(st.sampled_from(drawn(name, draw(st.integers(0, SEEDS - 1)))))


def by_name(call: SampleCall) -> dict[str, torch.Tensor]:
    """Fresh copies of the call's inputs, since a call may write them."""
    names = [tensor["name"] for tensor in _C.declaration(call.operator._name)["inputs"]]
    return {name: tensor.clone() for name, tensor in zip(names, inputs_of(call), strict=True) if tensor is not None}


def facts_of(result) -> list[tuple[tuple[int, ...], torch.dtype] | None]:
    outputs = result if isinstance(result, tuple) else (result,)
    return [None if t is None else (tuple(hint_of(s) for s in t.shape), t.dtype) for t in outputs]


def hint_of(size: int | torch.SymInt) -> int:
    return size.node.hint if isinstance(size, torch.SymInt) else size


def inferred(call: SampleCall) -> list[tuple[tuple[int, ...], torch.dtype] | None]:
    return [None if o is None else (tuple(o[0]), o[1]) for o in _C.infer(call.operator, call.args, call.kwargs)]


def symbolic(call: SampleCall) -> dict[str, torch.Tensor]:
    """The call's inputs as fake tensors, every size of which is a symbol of its own, but 0 and 1, which torch keeps."""
    mode = FakeTensorMode(shape_env=ShapeEnv(duck_shape=False), static_shapes=False)
    return {
        name: mode.from_tensor(
            tensor, symbolic_context=StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * tensor.dim())
        )
        for name, tensor in by_name(call).items()
    }


@pytest.mark.parametrize("name", OPERATORS)
def test_inference_over_symbols_equals_inference_over_integers(name):
    @search
    @given(calls(name))
    def holds(call: SampleCall) -> None:
        fakes = symbolic(call)
        assert facts_of(call.operator(**fakes)) == inferred(call), call.label

    holds()


@pytest.mark.parametrize("name", OPERATORS)
def test_a_call_stays_the_same_under_a_permutation_of_its_keywords(name):
    @search
    @given(calls(name), st.randoms(use_true_random=False))
    def holds(call: SampleCall, order) -> None:
        given_by_name = list(by_name(call).items())
        order.shuffle(given_by_name)
        permuted = call.operator(**dict(given_by_name))
        in_order = call.operator(**by_name(call))
        torch.testing.assert_close(permuted, in_order, rtol=0, atol=0, equal_nan=True)

    holds()


@pytest.mark.parametrize("name", OPERATORS)
def test_the_error_for_a_wrong_dim_names_that_dim(name):
    refused = []

    @search
    @given(calls(name), st.data())
    def holds(call: SampleCall, data: st.DataObject) -> None:
        tensors = by_name(call)
        changed = data.draw(st.sampled_from([n for n, t in tensors.items() if t.dim() > 0] or [None]))
        if changed is None:
            return
        axis = data.draw(st.integers(0, tensors[changed].dim() - 1))
        shape = list(tensors[changed].shape)
        shape[axis] += 97
        tensors[changed] = torch.empty(shape, dtype=tensors[changed].dtype, device="meta")
        error = refusal(call, {n: t.to("meta") for n, t in tensors.items()})
        if error is not None:
            refused.append(call.label)
            assert names_dim(error, changed, axis, shape), f"{changed}[{axis}] became {shape[axis]}: {error}"

    holds()
    assert refused or name not in LINKED


# Operators of which a size is stated by more than one dim.
LINKED = {"GEMMFwdOp", "BMMFwdOp", "GQADenseFwdOp", "RMSNormFwdOp", "RoPENeoxPositionIdsFwdOp", "SiLUAndMulFwdOp"}


def refusal(call: SampleCall, tensors: dict[str, torch.Tensor]) -> SignatureError | None:
    try:
        _C.infer(call.operator, (), tensors)
    except SignatureError as error:
        return error
    return None


def names_dim(error: SignatureError, tensor: str, axis: int, shape: list[int]) -> bool:
    """Whether the error names the tensor and the dim, or, where it blames what disagrees, the tensor's shape; a rule
    names the values that it read."""
    text = str(error)
    if error.argument == tensor:
        return f"dimension {axis}" in text or "rank" in text or str(shape) in text
    return f"'{tensor}' of shape {shape}" in text or str(shape[axis]) in error.got
