"""torch.vmap: one call along a declared parallel index, one for each item elsewhere; the values are those of a loop."""

from __future__ import annotations

import pytest
import torch
from built_in import built_in
from error_text import says
from torch.func import jacrev, vmap

import opyard
from opyard import _C, ops
from opyard.errors import SignatureError
from opyard.testing import sample_calls

N = 8


@pytest.fixture(autouse=True)
def counted():
    opyard.reset_stats()


def calls_of(name: str) -> int:
    return sum(row["calls"] for row in opyard.stats() if row["operator"] == name)


def looped(op, args, in_dims):
    size = next(arg.size(dim) for arg, dim in zip(args, in_dims) if dim is not None)
    rows = [op(*(arg if dim is None else arg.select(dim, i) for arg, dim in zip(args, in_dims))) for i in range(size)]
    if isinstance(rows[0], tuple):
        return tuple(torch.stack(parts) for parts in zip(*rows))
    return torch.stack(rows)


# The operator, its arguments, where they are batched, and how often it is called.
ROWS = {
    "rows of a norm": (lambda: ops.RMSNormFwdOp([N]), [(5, 3, N), (N,)], (0, None), 1),
    "another dim": (lambda: ops.RMSNormFwdOp([N]), [(3, 5, N), (N,)], (1, None), 1),
    "the last dim": (lambda: ops.RMSNormFwdOp([N]), [(3, N, 5)], (2,), 1),
    "a weight for each item": (lambda: ops.RMSNormFwdOp([N]), [(5, 3, N), (5, N)], (0, 0), 5),
    "two outputs": (ops.FusedAddRMSNormFwdOp, [(5, 3, N), (3, N), (N,)], (0, None, None), 1),
    "rows of a product": (ops.GEMMFwdOp, [(5, 3, N), (7, N)], (0, None), 1),
    "columns of a product": (ops.GEMMFwdOp, [(3, N), (5, 7, N)], (None, 0), 1),
    "columns with their bias": (ops.GEMMFwdOp, [(3, N), (5, 7, N), (5, 7)], (None, 0, 0), 1),
    "both sides of a product": (ops.GEMMFwdOp, [(5, 3, N), (5, 7, N)], (0, 0), 5),
    "a transposed product": (lambda: ops.GEMMFwdOp(trans_a=True), [(N, 3, 5), (7, N)], (2, None), 1),
    "batches of products": (ops.BMMFwdOp, [(5, 2, 3, N), (5, 2, N, 4)], (0, 0), 1),
    "gated rows": (ops.SiLUAndMulFwdOp, [(3, 5, 2 * N)], (1,), 1),
    "an element": (ops.ExpFwdOp, [(5, 3)], (0,), 1),
    "attention": (ops.GQADenseFwdOp, [(5, 1, 3, 4, N), (5, 1, 3, 2, N), (1, 3, 2, N)], (0, 0, None), 1),
    "broadcasting operands": (ops.AddFwdOp, [(5, 3, N), (N,)], (0, None), 5),
    "a reduction": (lambda: ops.SumFwdOp(dim=-1), [(5, 3, N)], (0,), 5),
}


@pytest.mark.parametrize("row", ROWS)
def test_values_are_those_of_a_loop(row):
    make, shapes, in_dims, calls = ROWS[row]
    op, args = make(), [torch.randn(shape) for shape in shapes]
    want = looped(op, args, in_dims)
    opyard.reset_stats()
    got = vmap(op, in_dims=in_dims)(*args)
    assert calls_of(op._name) == calls
    torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("in_dims", [(0, 0), (1, 0), (0, 2)])
def test_nested_vmap_is_one_call(in_dims):
    norm = ops.RMSNormFwdOp([N])
    x = torch.randn(4, 5, 3, N)
    opyard.reset_stats()
    got = vmap(vmap(norm, in_dims=in_dims[1] if in_dims[1] < 2 else 1), in_dims=in_dims[0])(x)
    assert calls_of("RMSNormFwdOp") == 1
    want = vmap(
        vmap(lambda t: torch.nn.functional.rms_norm(t, [N]), in_dims=in_dims[1] if in_dims[1] < 2 else 1),
        in_dims=in_dims[0],
    )(x)
    torch.testing.assert_close(got, want)


ALONG = [name for name in built_in() if _C.describe(name)["compile_op_names"] and _C.declaration(name)["parallel"]]


@pytest.mark.parametrize("name", ALONG)
def test_every_declared_index_serves_a_batch(name):
    """The first input is batched; others are shared, as far as one call can have them so."""
    call = next(c for c in sample_calls(name) if c.args[0].numel() and not getattr(c.operator, "inplace", False))
    args = list(call.args)
    batch = torch.stack([args[0], args[0].roll(1, -1), args[0].flip(-1)])

    def run(first):
        return call.operator(first, *args[1:], **call.kwargs)

    got, rows = vmap(run)(batch), [run(item) for item in batch]
    columns = zip(*rows) if isinstance(got, tuple) else [rows]
    for output, column in zip(got if isinstance(got, tuple) else (got,), columns):
        if output is not None:
            torch.testing.assert_close(output, torch.stack(column), rtol=2e-3, atol=2e-3, equal_nan=True)


def test_out_dims_are_placed():
    norm, x = ops.RMSNormFwdOp([N]), torch.randn(5, 3, N)
    torch.testing.assert_close(vmap(norm, out_dims=1)(x), norm(x).movedim(0, 1))


def test_jacrev_of_an_operator_with_a_backward():
    gate, x = ops.SiLUAndMulFwdOp(), torch.randn(2, 2 * N, dtype=torch.float64)

    def torchs(x):
        a, b = x.chunk(2, dim=1)
        return torch.nn.functional.silu(a) * b

    torch.testing.assert_close(jacrev(gate)(x), jacrev(torchs)(x))


def test_in_place_operators_write_each_item():
    relu, x = ops.ReLUFwdOp(inplace=True), torch.randn(5, N)
    want = x.relu()
    vmap(lambda t: relu(t) * 1)(x)
    torch.testing.assert_close(x, want)


def test_a_shared_tensor_is_not_written():
    norm = ops.BatchNormFwdOp(training=True)
    mean, var = torch.zeros(3), torch.ones(3)
    with pytest.raises(SignatureError, match=says("BatchNormFwdOp", "vmap", "running_mean")):
        vmap(lambda x: norm(x, mean, var)[0])(torch.randn(5, 4, 3))


def test_a_batched_call_compiles():
    torch._dynamo.reset()
    norm, x = ops.RMSNormFwdOp([N]), torch.randn(5, 3, N)
    torch.testing.assert_close(torch.compile(vmap(norm), fullgraph=True, backend="aot_eager")(x), norm(x))
