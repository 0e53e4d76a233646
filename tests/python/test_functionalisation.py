"""Writes, views and absent tensors mean the same in a graph as in eager calls."""

from __future__ import annotations

import pytest
import torch

from opyard import ops

N = 8


@pytest.fixture(autouse=True)
def cold():
    torch._dynamo.reset()


def normalise(op, x, mean, var):
    return op(x, mean, var)[0] + mean


def both_halves(op, x):
    """Two views of one base: one is written, the other is read afterwards, and then the base."""
    low, high = x[:2], x[2:]
    op(low)
    return high + 1, x * 2


def overlapping(op, x):
    view = x.view(-1)
    op(x)
    return view + 1


def strided(op, x):
    y = x.t()
    op(y)
    return x + y.t()


def written_and_not(ops_pair, x):
    in_place, functional = ops_pair
    before = functional(x)
    in_place(x)
    return before + x


def out_of_a_slice(op, x):
    return op(x[:, ::2])


ROWS = {
    "two views of one base": (both_halves, lambda: ops.ReLUFwdOp(inplace=True), lambda: (torch.randn(4, N),)),
    "a view of what is written": (overlapping, lambda: ops.ReLUFwdOp(inplace=True), lambda: (torch.randn(4, N),)),
    "a transposed view": (strided, lambda: ops.SiLUFwdOp(inplace=True), lambda: (torch.randn(4, N),)),
    "written and not": (
        written_and_not,
        lambda: (ops.ReLUFwdOp(inplace=True), ops.ReLUFwdOp()),
        lambda: (torch.randn(4, N),),
    ),
    "a strided input": (out_of_a_slice, ops.ExpFwdOp, lambda: (torch.randn(4, N),)),
    "optional statistics given": (
        normalise,
        lambda: ops.BatchNormFwdOp(training=True),
        lambda: (torch.randn(4, N), torch.zeros(N), torch.ones(N)),
    ),
    "optional statistics absent": (
        lambda op, x: op(x)[0],
        lambda: ops.BatchNormFwdOp(training=True),
        lambda: (torch.randn(4, N),),
    ),
}


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.parametrize("row", ROWS)
def test_a_graph_writes_and_returns_what_eager_does(row, backend):
    run, make, arguments = ROWS[row]
    op, args = make(), arguments()
    eager_args = tuple(arg.clone() for arg in args)
    compiled = torch.compile(lambda *tensors: run(op, *tensors), fullgraph=True, backend=backend)
    got, want = compiled(*args), run(op, *eager_args)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(args, eager_args)
