"""A call made ready ahead: the first one then finds its plan, and nothing of it needs the tensors."""

from __future__ import annotations

import pytest
import torch

import opyard
from opyard.ops import AddFwdOp, RMSNormFwdOp

CPU = torch.device("cpu")


def test_the_first_call_after_it_builds_nothing() -> None:
    op = RMSNormFwdOp(normalized_shape=[64], eps=1e-6)
    op.warmup(opyard.TensorSpec(CPU, torch.float32, (3, 64)), opyard.TensorSpec(CPU, torch.float32, (64,)))
    assert op.serving_target is opyard.BUILTIN
    with pytest.raises(RuntimeError, match="no call has completed"):
        _ = op.last_call
    x, weight = torch.randn(3, 64), torch.randn(64)
    torch.testing.assert_close(op(x, weight), torch.nn.functional.rms_norm(x, (64,), weight, 1e-6))


def test_tensors_and_names_stand_for_arguments() -> None:
    op = AddFwdOp()
    op.warmup(torch.randn(2, 3), other=opyard.TensorSpec(CPU, torch.float32, (3,)))
    torch.testing.assert_close(op(torch.ones(2, 3), torch.ones(3)), torch.full((2, 3), 2.0))


def test_a_wrong_call_is_refused_as_the_call_would_be() -> None:
    op = RMSNormFwdOp(normalized_shape=[64])
    with pytest.raises((TypeError, ValueError), match="x"):
        op.warmup(opyard.TensorSpec(CPU, torch.float32, (3, 63)))
    with pytest.raises(TypeError, match="expected an opyard.TensorSpec or a tensor, got int"):
        op.warmup(3)
    with pytest.raises(TypeError, match="expected specs of"):
        op.warmup(opyard.TensorSpec(CPU, torch.float32, (3, 64)), x=opyard.TensorSpec(CPU, torch.float32, (3, 64)))
    assert op.serving_target is None


def test_no_such_architecture() -> None:
    op = RMSNormFwdOp(normalized_shape=[64])
    spec = opyard.TensorSpec(torch.device("cuda:0"), torch.float32, (3, 64))
    with pytest.raises(opyard.OpyardError, match="no such architecture"):
        op.warmup(spec, arch="volta")
