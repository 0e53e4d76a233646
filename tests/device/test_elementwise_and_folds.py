"""Elementwise and reduction kernels where sizes and addresses are unusual, against torch in float64."""

from __future__ import annotations

import pytest
import torch

from opyard.ops import AddFwdOp, AmaxFwdOp, ExpFwdOp, GELUFwdOp, MaximumFwdOp, MeanFwdOp, MulFwdOp, ReLUFwdOp, SumFwdOp

TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 2e-3}


def draw(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


def close(got: torch.Tensor, expected: torch.Tensor, scale: float = 1.0) -> None:
    tolerance = TOLERANCE[got.dtype] * scale
    torch.testing.assert_close(got.double(), expected.double(), atol=tolerance, rtol=tolerance, equal_nan=True)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("count", [1, 7, 8, 255, 257, 4096, 1_000_003])
def test_every_count_and_alignment(count: int, dtype: torch.dtype) -> None:
    for x, y in (
        (draw(count, dtype=dtype), draw(count, dtype=dtype)),
        (draw(count + 1, dtype=dtype)[1:], draw(count, dtype=dtype)),
        (draw(count, dtype=dtype), draw(count + 3, dtype=dtype)[3:]),
    ):
        gelu, add, mul = GELUFwdOp(), AddFwdOp(alpha=2), MulFwdOp()
        close(gelu(x), torch.nn.functional.gelu(x.double()))
        close(add(x, y), x.double() + 2 * y.double())
        close(mul(x, y[:1]), x.double() * y[:1].double())
        assert {op.last_call.implementation for op in (gelu, add, mul)} == {"cuda"}


def test_nan_goes_through() -> None:
    nan, one = torch.full((8,), float("nan"), device="cuda"), torch.ones(8, device="cuda")
    for got in (ReLUFwdOp()(nan), MaximumFwdOp()(nan, one), MaximumFwdOp()(one, nan), AmaxFwdOp(dim=-1)(nan)):
        assert got.isnan().all()


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (37, 1024), (5, 1025), (2, 262_144), (1, 10_000_019), (4096, 64)])
def test_folds_of_short_and_long_rows(shape: tuple[int, int], dtype: torch.dtype) -> None:
    x = draw(*shape, dtype=dtype)
    total, mean, most = SumFwdOp(dim=-1), MeanFwdOp(), AmaxFwdOp(dim=[-1], keepdim=True)
    # A sum is as exact as the magnitudes that it adds.
    torch.testing.assert_close(
        total(x).double() / shape[1], x.double().sum(-1) / shape[1], atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype]
    )
    close(mean(x), x.double().mean())
    assert torch.equal(most(x), x.amax(-1, keepdim=True))
    assert {op.last_call.implementation for op in (total, mean, most)} == {"cuda"}
    assert torch.equal(total(x), total(x))


def test_more_than_two_to_the_31_elements() -> None:
    x = torch.zeros(2**31 + 16, device="cuda", dtype=torch.bfloat16)
    x[-1] = 3
    y = ExpFwdOp()(x)
    assert y[0] == 1
    assert y[-1] == torch.tensor(3.0).exp().to(torch.bfloat16)
    assert AmaxFwdOp(dim=-1)(x) == 3
