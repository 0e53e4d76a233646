"""opyard.native.registry, as code written for torch._native uses it."""

import inspect

import pytest
import torch

import opyard
from opyard.native import registry

requirement = pytest.mark.requirement
A, B = torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0])
mul = torch.ops.aten.mul.Tensor


pytestmark = pytest.mark.usefixtures("no_overrides_after")


def fill(value):
    return lambda a, *_args, **_kwargs: torch.full_like(a, value)


def yes(*_args, **_kwargs):
    return True


def no(*_args, **_kwargs):
    return False


def register(op="mul.Tensor", cond=yes, value=42, dsl="one", key="CPU", **more):
    registry.register_op_override(dsl, "aten", op, key, cond, fill(value), **more)


def order():
    return [node.dsl_name for node in registry._graphs[("mul.Tensor", "CPU")]]


@requirement("N47")
def test_the_signature_is_torch_natives():
    from torch._native.registry import register_op_override as theirs

    assert list(inspect.signature(registry.register_op_override).parameters) == list(
        inspect.signature(theirs).parameters
    )
    for name in registry.__all__:
        assert inspect.getdoc(getattr(registry, name)) or name == "UserOrderingFn"


@requirement("N4")
def test_the_condition_may_be_left_out_when_the_implementation_comes_by_keyword():
    registry.register_op_override("one", "aten", "mul.Tensor", "CPU", impl=fill(42), unconditional_override=True)
    assert mul(A, B).tolist() == [42, 42]
    registry.register_op_override("two", "aten", "mul.Tensor", "CPU", None, fill(43), unconditional_override=True)
    assert mul(A, B).tolist() == [43, 43]
    with pytest.raises(TypeError, match="'impl'"):
        registry.register_op_override("one", "aten", "mul.Tensor", "CPU", yes)


@requirement("N37")
def test_no_call_of_the_registry_defines_an_operator():
    assert not [name for name in registry.__all__ if "define" in name or "new" in name]


@requirement("N8", "N3")
def test_a_registration_is_in_force_from_the_next_call():
    register()
    assert mul(A, B).tolist() == [42, 42]
    assert (A * B).tolist() == [42, 42]


@requirement("N14", "N16")
def test_a_false_condition_leaves_the_original_and_sees_the_operators_arguments():
    seen = []
    registry.register_op_override("one", "aten", "mul.Tensor", "CPU", lambda *a, **k: seen.append((a, k)), fill(42))
    assert mul(A, B).tolist() == [8, 15]
    assert len(seen) == 1
    assert len(seen[0][0]) == 2
    assert seen[0][1] == {}


@requirement("N13", "N50")
def test_an_unconditional_override_serves_every_call_and_asks_nothing():
    asked = []
    register(cond=lambda *a: asked.append(a), unconditional_override=True)
    register(op="div.Tensor", cond=None, unconditional_override=True)
    assert mul(A, B).tolist() == [42, 42]
    assert (A / B).tolist() == [42, 42]
    assert asked == []


@pytest.mark.parametrize("key", ["Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd"])
@requirement("N6")
def test_keys_that_would_come_back_are_refused(key):
    with pytest.raises(ValueError, match="dispatch_key="):
        register(key=key)


@requirement("N6", "N50")
def test_what_cannot_work_is_a_value_error():
    with pytest.raises(ValueError, match="cond must be provided"):
        register(cond=None)
    with pytest.raises(ValueError, match="no such operator"):
        register(op="mul.Nothing")


@requirement("N49", "N48")
def test_names_resolve_to_one_overload_and_any_namespace():
    register(op="add_.Tensor", value=1)
    register(op="bmm", value=2)
    x = A.clone()
    assert torch.bmm(torch.ones(1, 2, 2), torch.ones(1, 2, 2)).unique().tolist() == [2]
    with pytest.raises(opyard.errors.ContractError):
        x.add_(B)  # it returns another tensor
    assert (A + B).tolist() == [6, 8]
    with torch.library._scoped_library("opyard_test_space", "DEF") as library:
        library.define("twice(Tensor self) -> Tensor")
        library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
        twice = torch.ops.opyard_test_space.twice
        registry.register_op_override("one", "opyard_test_space", "twice", "CPU", lambda x: x.ndim == 1, fill(9))
        assert twice(A).tolist() == [9, 9]
        assert twice(A.view(1, 2)).tolist() == [[4, 6]]
        opyard.uninstall()


@requirement("N54", "N17")
@pytest.mark.parametrize("flag", [False, True])
def test_several_overrides_stand_at_one_operator_with_and_without_the_flag(flag):
    register(value=1, dsl="one", allow_multiple_override=flag)
    register(value=2, dsl="two", allow_multiple_override=flag)
    assert order() == ["two", "one"]
    assert mul(A, B).tolist() == [2, 2]


@requirement("N56")
def test_handles_of_other_parties_survive_a_removal():
    register(value=1, dsl="one")
    with opyard.override("aten::mul.Tensor", "CPU", impl=fill(3)):
        register(value=2, dsl="two")
        assert order() == ["two", "opyard", "one"]
    assert order() == ["two", "one"]
    assert mul(A, B).tolist() == [2, 2]
