"""Operators without a CUDA kernel of their own are served on CUDA tensors by torch's kernels; silu_and_mul by ours."""

from __future__ import annotations

import pytest
import torch

from opyard.ops import BMMFwdOp, GEMMFwdOp, GQADenseFwdOp, RoPENeoxPositionIdsFwdOp, SiLUAndMulFwdOp

TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 2e-2, torch.float16: 2e-3}


@pytest.fixture(autouse=True)
def _full_precision() -> None:
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False


def draw(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


def close(got: torch.Tensor, expected: torch.Tensor, scale: float = 1.0) -> None:
    tolerance = TOLERANCE[got.dtype] * scale
    torch.testing.assert_close(got.double(), expected, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_products(dtype: torch.dtype) -> None:
    a, b, bias = draw(33, 64, dtype=dtype), draw(48, 64, dtype=dtype), draw(48, dtype=dtype)
    close(GEMMFwdOp()(a, b, bias), a.double() @ b.double().t() + bias.double(), 8)
    c, d = draw(3, 5, 64, dtype=dtype), draw(3, 64, 7, dtype=dtype)
    close(BMMFwdOp()(c, d), torch.bmm(c.double(), d.double()), 8)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("causal", [True, False])
def test_attention(dtype: torch.dtype, causal: bool) -> None:
    q, k, v = draw(2, 9, 6, 64, dtype=dtype), draw(2, 9, 3, 64, dtype=dtype), draw(2, 9, 3, 64, dtype=dtype)
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(t.double().transpose(1, 2) for t in (q, k, v)), is_causal=causal, enable_gqa=True
    ).transpose(1, 2)
    close(GQADenseFwdOp(is_causal=causal)(q, k, v), expected)
    close(GQADenseFwdOp(is_causal=causal, window_size_left=20)(q, k, v), expected)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_rotation_equals_the_cpu(dtype: torch.dtype) -> None:
    x, positions = draw(9, 3, 64, dtype=dtype), torch.arange(9, device="cuda")
    op = RoPENeoxPositionIdsFwdOp(max_position=64)
    close(op(x, positions), op(x.cpu(), positions.cpu()).double().cuda())


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("width", [1, 8, 37, 1536, 11008])
def test_silu_and_mul(dtype: torch.dtype, width: int) -> None:
    op = SiLUAndMulFwdOp()
    for x in (
        draw(5, 2 * width, dtype=dtype),
        draw(5, 2 * width + 1, dtype=dtype)[:, 1:],
        draw(2 * width, 5, dtype=dtype).t(),
    ):
        y = op(x)
        assert op.last_call.implementation == "cuda"
        gate, up = x.double().chunk(2, 1)
        close(y, torch.nn.functional.silu(gate) * up)
    assert op(draw(0, 2 * width, dtype=dtype)).shape == (0, width)
