"""Every function of a row by its CUDA kernel against float64 torch: norms, norms of a sum, softmax, log-softmax."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from opyard.ops import (
    FusedAddLayerNormFwdOp,
    FusedAddRMSNormFwdOp,
    LayerNormFwdOp,
    LogSoftmaxFwdOp,
    SoftmaxFwdOp,
)

F = torch.nn.functional
TOLERANCE = {torch.float32: 2e-5, torch.bfloat16: 2e-2, torch.float16: 2e-3}
COLUMNS = [1, 2, 7, 8, 128, 129, 256, 576, 1000, 1024, 2048, 4096, 5120, 8191, 16384, 32768, 65536, 262144]


@dataclass(frozen=True)
class Row:
    """An operator for rows of one width: how many rows it adds, how many tensors follow, its meaning for the sum."""

    make: Callable[[int], Any]
    rows: int
    parts: int
    reference: Callable[..., tuple[torch.Tensor, ...]]


ROWS = {
    "layer_norm": Row(
        lambda n: LayerNormFwdOp(normalized_shape=[n]), 1, 2, lambda x, w, b: (F.layer_norm(x, w.shape, w, b, 1e-5),)
    ),
    "add_rms_norm": Row(
        lambda n: FusedAddRMSNormFwdOp(),
        2,
        1,
        lambda x, w: (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * w, x),
    ),
    "add_layer_norm": Row(
        lambda n: FusedAddLayerNormFwdOp(),
        2,
        2,
        lambda x, w, b: (F.layer_norm(x, w.shape, w, b, 1e-6), x),
    ),
    "softmax": Row(lambda n: SoftmaxFwdOp(dim=-1), 1, 0, lambda x: (x.softmax(-1),)),
    "log_softmax": Row(lambda n: LogSoftmaxFwdOp(dim=-1), 1, 0, lambda x: (x.log_softmax(-1),)),
}


def draw(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.randn(*shape, device="cuda").to(dtype)


def right(row: Row, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    # Added in float32, as the operators are: where two rows nearly cancel, that rounding is most of the norm's input.
    added = sum(tensor.float() for tensor in tensors[: row.rows])
    return row.reference(added.double(), *(tensor.double() for tensor in tensors[row.rows :]))


def check(row: Row, *tensors: torch.Tensor) -> None:
    op = row.make(tensors[0].shape[-1])
    results = op(*tensors)
    if tensors[0].numel():
        assert op.last_call.implementation == "cuda"
    tolerance = TOLERANCE[tensors[0].dtype]
    expected = right(row, *tensors)
    for got, wanted in zip(results if isinstance(results, tuple) else (results,), expected, strict=True):
        assert got.is_contiguous()
        assert got.dtype == tensors[0].dtype
        torch.testing.assert_close(got.double(), wanted, atol=tolerance, rtol=tolerance, equal_nan=True)


def tensors_of(row: Row, count: int, columns: int, dtype: torch.dtype) -> list[torch.Tensor]:
    rows = [draw(count, columns, dtype=dtype) for _ in range(row.rows)]
    return rows + [draw(columns, dtype=dtype) for _ in range(row.parts)]


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_width(row: Row, columns: int, dtype: torch.dtype) -> None:
    check(row, *tensors_of(row, 37, columns, dtype))


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_views(row: Row, dtype: torch.dtype) -> None:
    first, *others = tensors_of(row, 9, 64, dtype)
    for x in (
        draw(9, 128, dtype=dtype)[:, :64],
        draw(9, 128, dtype=dtype)[:, 3:67],  # rows that begin off sixteen bytes
        draw(9, 65, dtype=dtype)[:, 1:],
        draw(64, 9, dtype=dtype).t(),
        draw(1, 64, dtype=dtype).expand(9, 64),
        draw(18, 64, dtype=dtype)[::2],
        first[:0],
    ):
        check(row, x, *(other[: len(x)] if other.dim() == 2 else other for other in others))
    if row.parts:
        check(row, first, *others[:-1], draw(65, dtype=dtype)[1:])
    if row.rows == 2:
        check(row, first, draw(9, 128, dtype=dtype)[:, 3:67], *others[1:])


@pytest.mark.parametrize("columns", [64, 65, 4096])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_special_values_is_torchs(name: str, columns: int) -> None:
    x = draw(6, columns, dtype=torch.float32)
    x[0, 3], x[1, 5], x[2] = float("nan"), float("inf"), float("-inf")
    x[3, 7], x[4], x[5] = float("-inf"), 1e30, -1e30
    torch.testing.assert_close(ROWS[name].make(columns)(x), ROWS[name].reference(x)[0], equal_nan=True)


def test_a_variance_beside_a_large_mean_keeps_its_digits() -> None:
    x = draw(8, 4096, dtype=torch.float32) + 1000
    expected = F.layer_norm(x.double(), (4096,))
    torch.testing.assert_close(LayerNormFwdOp(normalized_shape=[4096])(x).double(), expected, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_more_than_two_to_the_31_elements(row: Row) -> None:
    tensors = [torch.zeros(2**20 + 1, 2048, device="cuda", dtype=torch.bfloat16) for _ in range(row.rows)]
    for tensor in tensors:
        tensor[-1] = draw(2048, dtype=torch.bfloat16)
    parts = [draw(2048, dtype=torch.bfloat16) for _ in range(row.parts)]
    results = row.make(2048)(*tensors, *parts)
    last = results[0][-1] if isinstance(results, tuple) else results[-1]
    expected = right(row, *(tensor[-1:] for tensor in tensors), *parts)[0][0]
    torch.testing.assert_close(last.double(), expected, atol=2e-2, rtol=2e-2)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_it_runs_in_a_compiled_graph(row: Row) -> None:
    tensors = tensors_of(row, 9, 64, torch.float32)
    model = torch.compile(row.make(64), fullgraph=True)
    for got, wanted in zip(_all(model(*tensors)), right(row, *tensors), strict=True):
        torch.testing.assert_close(got.double(), wanted, atol=2e-5, rtol=2e-5)


def _all(results: Any) -> tuple[torch.Tensor, ...]:
    return results if isinstance(results, tuple) else (results,)
