"""Work runs where the tensors are, whatever device is current: for a machine with two GPUs."""

from __future__ import annotations

import pytest
import torch

import opyard
from opyard.ops import GEMMFwdOp, RMSNormFwdOp, RoPEFwdOp, SumFwdOp

pytestmark = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")


def test_tensors_on_the_other_device_while_the_first_is_current() -> None:
    x, weight = torch.randn(9, 4096), torch.randn(4096)
    op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
    expected = torch.nn.functional.rms_norm(x, (4096,), weight, 1e-6)
    for device in ("cuda:1", "cuda:0", "cuda:1"):
        with torch.cuda.device(0):
            y = op(x.to(device), weight.to(device))
            assert torch.cuda.current_device() == 0
        assert y.device == torch.device(device)
        assert op.last_call.device == torch.device(device)
        torch.testing.assert_close(y.cpu(), expected, atol=1e-5, rtol=1e-5)


def test_each_device_has_its_own_stream() -> None:
    op = RMSNormFwdOp(normalized_shape=[512], eps=1e-6)
    x = torch.ones(4096, 512, device="cuda:1")
    op(x)
    stream = torch.cuda.Stream("cuda:1")
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.mul_(2)
        y = op(x)
    stream.synchronize()
    torch.testing.assert_close(y, torch.ones_like(y))


@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_folds_rotations_and_products(device: str) -> None:
    x = torch.randn(3, 100_000)
    torch.testing.assert_close(SumFwdOp(dim=-1)(x.to(device)).cpu(), x.sum(-1), atol=1e-2, rtol=1e-4)
    heads, rope = torch.randn(1, 5, 3, 64), RoPEFwdOp(input_layout="2d")
    torch.testing.assert_close(rope(heads.to(device)).cpu(), rope(heads), atol=1e-5, rtol=1e-5)
    a, b = torch.randn(7, 64), torch.randn(5, 64)
    torch.testing.assert_close(GEMMFwdOp()(a.to(device), b.to(device)).cpu(), a @ b.t(), atol=1e-2, rtol=1e-2)


def test_tensors_of_two_devices_in_one_call_are_refused() -> None:
    op = RMSNormFwdOp(normalized_shape=[64])
    with pytest.raises((opyard.OpyardError, ValueError, TypeError), match="device"):
        op(torch.ones(2, 64, device="cuda:0"), torch.ones(64, device="cuda:1"))
