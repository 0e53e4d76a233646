"""Listeners hear of each build, in C++ and in Python, and nothing is told when nobody listens."""

import logging

import pytest
import torch

import opyard
from opyard.ops import RMSNormFwdOp
from small_operators import RowScaleFwdOp

X = torch.randn(3, 8)


@pytest.fixture
def events():
    heard = []
    registration = opyard.on_build(heard.append)
    yield heard
    registration.remove()


def test_a_compiled_implementations_build_is_told_once(events):
    op = RMSNormFwdOp(normalized_shape=[8], eps=3.25e-6)
    for rows in (3, 4, 3):
        op(torch.randn(rows, 8))
    (event,) = events
    assert (event.operator, event.implementation) == ("RMSNormFwdOp", op.last_call.implementation)
    assert (event.outcome, event.dsl) == ("built", "")
    assert event.milliseconds > 0
    op(X.double())
    assert (events[-1].hits, events[-1].misses) == (1, 2)


def test_a_python_kernels_build_is_told_with_its_identity(events):
    RowScaleFwdOp(factor=0.75)(X, torch.ones(8))
    (event,) = events
    assert (event.operator, event.outcome) == ("RowScaleFwdOp", "built")
    assert "8" in event.key


def test_a_build_that_fails_is_told_as_failed(events):
    from opyard.interfaces import RMSNorm

    class Broken(opyard.Kernel, RMSNorm):
        devices = {"cpu"}
        preferred_over = frozenset(opyard.ops._C.implementation_keys("RMSNormFwdOp")) - {"general"}

        @classmethod
        def entry_for(cls, call):
            def build():
                raise RuntimeError("no compiler")

            return "broken", build

        def forward(self, x, weight): ...

    registration = opyard.register_kernel_type("RMSNormFwdOp", "triton_broken", Broken)
    with pytest.raises(RuntimeError, match="no compiler"):
        RMSNormFwdOp(normalized_shape=[8], eps=3.5e-6)(X)
    registration.remove()
    (event,) = events
    assert (event.implementation, event.dsl, event.outcome) == ("triton_broken", "triton", "failed")


def test_nothing_is_told_after_removal_and_an_error_of_a_listener_fails_no_call(caplog):
    def broken(event):
        raise ValueError("listener")

    registration = opyard.on_build(broken)
    RMSNormFwdOp(normalized_shape=[8], eps=4.25e-6)(X)
    registration.remove()
    assert "a listener of builds raised" in caplog.text
    heard = []
    opyard.on_build(heard.append).remove()
    RMSNormFwdOp(normalized_shape=[8], eps=4.5e-6)(X)
    assert heard == []


def test_the_log_has_a_record_for_each_build(caplog):
    registration = opyard.on_build(opyard.log_build)
    with caplog.at_level(logging.INFO, "opyard.build_events"):
        RMSNormFwdOp(normalized_shape=[8], eps=4.75e-6)(X)
    registration.remove()
    (record,) = caplog.records
    assert "operator='RMSNormFwdOp'" in record.message
