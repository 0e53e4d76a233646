"""Batch norm: running statistics are written in training, saved ones are returned there, and the backward fits both."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from opyard import ops
from opyard.errors import SignatureTypeError, SignatureValueError


def statistics(channels: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(channels), torch.rand(channels) + 0.5


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("shape", [(4, 6, 7, 5), (9, 6), (3, 6, 11)])
def test_training_keeps_and_saves_the_statistics(shape, dtype):
    x = torch.randn(shape).to(dtype)
    mean, var = statistics()
    own_mean, own_var = mean.clone(), var.clone()
    weight, bias = torch.randn(6), torch.randn(6)
    y, save_mean, save_invstd = ops.BatchNormFwdOp(training=True)(x, mean, var, weight, bias)
    expected = functional.batch_norm(x.float(), own_mean, own_var, weight, bias, True, 0.1, 1e-5)
    torch.testing.assert_close(y, expected.to(dtype), rtol=2e-2, atol=2e-2 if dtype != torch.float32 else 1e-5)
    torch.testing.assert_close((mean, var), (own_mean, own_var), rtol=1e-4, atol=1e-4)
    dims = [d for d in range(x.dim()) if d != 1]
    torch.testing.assert_close(save_mean, x.float().mean(dims), rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(save_invstd, (x.float().var(dims, correction=0) + 1e-5).rsqrt(), rtol=1e-4, atol=1e-4)


def test_without_training_nothing_is_written_or_saved():
    mean, var = statistics()
    kept = mean.clone(), var.clone()
    x = torch.randn(4, 6, 5)
    y, save_mean, save_invstd = ops.BatchNormFwdOp()(x, mean, var)
    assert save_mean is None
    assert save_invstd is None
    assert torch.equal(mean, kept[0])
    assert torch.equal(var, kept[1])
    torch.testing.assert_close(y, functional.batch_norm(x, mean, var))


def test_writes_are_counted_as_versions():
    mean, var = statistics()
    ops.BatchNormFwdOp(training=True)(torch.randn(4, 6), mean, var)
    assert (mean._version, var._version) == (1, 1)


def test_each_effect_has_a_custom_op():
    stem = "opyard::norm_batch_norm_fwd"
    assert set(ops.BatchNormFwdOp.compile_op_names) == {
        f"{stem}_without_save_mean_without_save_invstd",
        f"{stem}_writes_running_mean_writes_running_var",
        stem,
    }


@pytest.mark.parametrize("training", [False, True])
def test_compiles_as_one_graph_and_writes_the_same(training):
    op = ops.BatchNormFwdOp(training=training)
    x, weight = torch.randn(4, 6, 5), torch.randn(6)
    mean, var = statistics()
    expected_mean, expected_var = mean.clone(), var.clone()
    expected = op(x, expected_mean, expected_var, weight)
    got = torch.compile(lambda *args: op(*args), fullgraph=True)(x, mean, var, weight)
    torch.testing.assert_close(got[0], expected[0])
    torch.testing.assert_close((mean, var), (expected_mean, expected_var))
    assert (got[1] is None) == (not training)


def test_refusals():
    x = torch.randn(4, 6)
    mean, var = statistics()
    with pytest.raises(SignatureValueError, match="running statistics must be given"):
        ops.BatchNormFwdOp()(x)
    with pytest.raises(SignatureTypeError, match="running_var"):
        ops.BatchNormFwdOp()(x, mean)
    with pytest.raises(SignatureValueError, match="more than one value"):
        ops.BatchNormFwdOp(training=True)(x[:1], mean, var)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("with_weight", [False, True])
def test_the_backward_gives_autograds_gradients(dtype, with_weight):
    x, gradient = torch.randn(4, 6, 7).to(dtype), torch.randn(4, 6, 7).to(dtype)
    weight = torch.randn(6) if with_weight else None
    _, mean, invstd = ops.BatchNormFwdOp(training=True)(x, weight=weight)
    got = ops.BatchNormBwdOp()(gradient, x, mean, invstd, weight=weight)
    leaves = [x.double(), (torch.ones(6) if weight is None else weight).double(), torch.zeros(6).double()]
    for leaf in leaves:
        leaf.requires_grad_()
    functional.batch_norm(leaves[0], None, None, *leaves[1:], True).backward(gradient.double())
    tolerance = 1e-4 if dtype == torch.float32 else 2e-2
    for mine, leaf, kept in zip(got, leaves, (dtype, torch.float32, torch.float32), strict=True):
        assert mine.dtype == kept
        torch.testing.assert_close(mine.double(), leaf.grad, rtol=tolerance, atol=tolerance)
