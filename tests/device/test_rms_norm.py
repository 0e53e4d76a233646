"""RMSNormFwdOp by its CUDA kernel against float64 torch."""

from __future__ import annotations

import pytest
import torch

import opyard
from opyard.errors import BuildError
from opyard.ops import RMSNormFwdOp

TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-3}
COLUMNS = [1, 7, 8, 64, 128, 129, 576, 1000, 1024, 4096, 5120, 8191, 16384, 32768, 65536, 262144]


def reference(x: torch.Tensor, weight: torch.Tensor | None, eps: float) -> torch.Tensor:
    wide = x.double()
    y = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    return y if weight is None else y * weight.double()


def check(x: torch.Tensor, weight: torch.Tensor | None = None, eps: float = 1e-6) -> None:
    op = RMSNormFwdOp(normalized_shape=[x.shape[-1]], eps=eps)
    y = op(x, weight)
    assert y.is_contiguous()
    assert y.dtype == x.dtype
    assert y.shape == x.shape
    if x.numel():
        assert op.last_call.implementation == "cuda"
    tolerance = TOLERANCE[x.dtype]
    torch.testing.assert_close(y.double(), reference(x, weight, eps), atol=tolerance, rtol=tolerance)


def draw(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("weighted", [True, False])
def test_every_width(columns: int, dtype: torch.dtype, weighted: bool) -> None:
    check(draw(37, columns, dtype=dtype), draw(columns, dtype=dtype) if weighted else None)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
def test_views(dtype: torch.dtype) -> None:
    weight = draw(64, dtype=dtype)
    check(draw(9, 128, dtype=dtype)[:, :64], weight)
    check(draw(9, 128, dtype=dtype)[:, 3:67], weight)  # rows that begin off sixteen bytes
    check(draw(9, 65, dtype=dtype)[:, 1:], weight)
    check(draw(64, 9, dtype=dtype).t(), weight)
    check(draw(1, 64, dtype=dtype).expand(9, 64), weight)
    check(draw(3, 5, 64, dtype=dtype).transpose(0, 1), weight)
    check(draw(9, 64, dtype=dtype), draw(65, dtype=dtype)[1:])
    check(draw(0, 64, dtype=dtype), weight)


def test_special_values() -> None:
    x = draw(4, 64)
    x[0, 3], x[1, 5], x[2] = float("nan"), float("inf"), 0.0
    y = RMSNormFwdOp(normalized_shape=[64], eps=1e-6)(x)
    torch.testing.assert_close(y, torch.nn.functional.rms_norm(x, (64,), eps=1e-6), equal_nan=True)


def test_more_than_two_to_the_31_elements() -> None:
    x = torch.zeros(2**20 + 1, 2048, device="cuda", dtype=torch.bfloat16)
    x[-1] = draw(2048, dtype=torch.bfloat16)
    y = RMSNormFwdOp(normalized_shape=[2048], eps=1e-6)(x)
    torch.testing.assert_close(y[-1].double(), reference(x[-1], None, 1e-6), atol=1e-2, rtol=1e-2)
    assert not y[:-1].any()


def test_runs_on_the_current_stream() -> None:
    op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
    x = draw(4096, 4096, dtype=torch.bfloat16)
    op(x)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.copy_(torch.ones_like(x))
        y = op(x)
    stream.synchronize()
    torch.testing.assert_close(y, torch.ones_like(y))


def test_a_captured_graph_replays() -> None:
    op = RMSNormFwdOp(normalized_shape=[512], eps=1e-6)
    x = draw(16, 512)
    op(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = op(x)
    x.copy_(draw(16, 512))
    graph.replay()
    torch.testing.assert_close(y.double(), reference(x, None, 1e-6), atol=1e-5, rtol=1e-5)


def test_a_first_call_inside_a_capture_raises_and_the_capture_goes_on() -> None:
    op = RMSNormFwdOp(normalized_shape=[1736], eps=1e-6)
    x = draw(16, 1736)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(BuildError, match="warmup"):
            op(x)
        y = x + 1
    graph.replay()
    torch.testing.assert_close(y, x + 1)
    torch.testing.assert_close(op(x).double(), reference(x, None, 1e-6), atol=1e-5, rtol=1e-5)


def test_a_warmed_up_first_call_is_captured_and_replays() -> None:
    op = RMSNormFwdOp(normalized_shape=[1752], eps=1e-6)
    x = draw(16, 1752)
    op.warmup(opyard.TensorSpec(x.device, x.dtype, tuple(x.shape)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = op(x)
    x.copy_(draw(16, 1752))
    graph.replay()
    torch.testing.assert_close(y.double(), reference(x, None, 1e-6), atol=1e-5, rtol=1e-5)


def test_explain_names_the_implementation() -> None:
    x = draw(4, 64)
    text = opyard.explain(RMSNormFwdOp(normalized_shape=[64]), x)
    assert "cuda: chosen" in text
    assert "vec: refuses" in text
