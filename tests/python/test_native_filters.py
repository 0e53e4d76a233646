"""Switching overrides off and on by DSL, operator and dispatch key."""

import logging

import pytest
import torch

from opyard.native import control, registry

requirement = pytest.mark.requirement
A, B = torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0])
mul = torch.ops.aten.mul.Tensor


pytestmark = pytest.mark.usefixtures("no_overrides_after")


def fill(value):
    return lambda a, *_args, **_kwargs: torch.full_like(a, value)


def yes(*_args, **_kwargs):
    return True


def register(op="mul.Tensor", cond=yes, value=42, dsl="one", key="CPU", **more):
    registry.register_op_override(dsl, "aten", op, key, cond, fill(value), **more)


@requirement("N51", "N55")
def test_filters_by_dsl_operator_and_key_switch_off_and_on():
    register(value=1, dsl="one")
    register(value=2, dsl="two")
    for name, value in [("dsl_names", "two"), ("op_symbols", "mul.Tensor"), ("dispatch_keys", ["CPU"])]:
        registry.deregister_op_overrides(**{f"disable_{name}": value})
        assert mul(A, B).tolist() == ([1, 1] if value == "two" else [8, 15])
        registry.reenable_op_overrides(**{f"enable_{name}": value})
        assert mul(A, B).tolist() == [2, 2]


def test_controls_switch_for_a_block_and_keep_what_was_off():
    register(value=1, dsl="one")
    register(value=2, dsl="two")
    two = control.dsl("two")
    with two.disabled():
        assert not two.enabled
        assert mul(A, B).tolist() == [1, 1]
    assert two.enabled
    with torch.backends.__allow_nonbracketed_mutation():  # torch's test tools freeze the flags of the process
        two.enabled = False
    with two.disabled(), control.operations_disabled("mul.Tensor"):
        assert mul(A, B).tolist() == [8, 15]
    assert control.is_dsl_disabled("two")
    assert not control.is_operation_disabled("mul.Tensor")
    assert mul(A, B).tolist() == [1, 1]
    assert "triton" in control.all_dsls
    with pytest.raises(ValueError, match="three"):
        control.dsl("three")


@requirement("N55")
def test_a_name_that_is_filtered_stays_off_for_later_registrations():
    registry.deregister_op_overrides(disable_dsl_names="one")
    register()
    assert mul(A, B).tolist() == [8, 15]
    assert [node.active for node in registry._graphs[("mul.Tensor", "CPU")]] == [False]


def test_operations_are_listed_by_dsl():
    register(dsl="one", op="mul.Tensor")
    register(dsl="one", op="bmm")
    register(dsl="two", op="mm")
    assert registry.get_dsl_operations("one") == ["bmm", "mul.Tensor"]
    assert registry.get_dsl_operations("three") == []


@requirement("N73")
def test_registering_and_filtering_warn_of_nothing(caplog):
    with caplog.at_level(logging.DEBUG, "opyard.native"):
        register()
        registry.deregister_op_overrides(disable_dsl_names="one")
    assert {record.levelno for record in caplog.records} <= {logging.INFO, logging.DEBUG}
