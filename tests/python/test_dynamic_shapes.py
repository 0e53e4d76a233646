"""One compilation serves every size, 0 and 1 and sizes known only at run time included; alike instances share it."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend

from opyard import ops
from opyard.errors import SignatureError

N = 16


@pytest.fixture(autouse=True)
def cold():
    torch._dynamo.reset()


# Each takes a batch, a sequence and a hidden size.
CASES = {
    "RMSNormFwdOp": (lambda: ops.RMSNormFwdOp([N], eps=1e-5), lambda b, s, h: (torch.randn(b, s, N), torch.randn(N))),
    "FusedAddRMSNormFwdOp": (
        ops.FusedAddRMSNormFwdOp,
        lambda b, s, h: (torch.randn(b, s, h), torch.randn(b, s, h), torch.randn(h)),
    ),
    "GEMMFwdOp": (ops.GEMMFwdOp, lambda b, s, h: (torch.randn(b * s, h), torch.randn(7, h))),
    "BMMFwdOp": (ops.BMMFwdOp, lambda b, s, h: (torch.randn(b, s, h), torch.randn(b, h, 11))),
    "SiLUAndMulFwdOp": (ops.SiLUAndMulFwdOp, lambda b, s, h: (torch.randn(b * s, 2 * h),)),
    "AddFwdOp": (ops.AddFwdOp, lambda b, s, h: (torch.randn(b, s, h), torch.randn(s, h))),
    "SumFwdOp": (lambda: ops.SumFwdOp(dim=-1), lambda b, s, h: (torch.randn(b, s, h),)),
    "RoPEFwdOp": (lambda: ops.RoPEFwdOp(input_layout="2d"), lambda b, s, h: (torch.randn(b, s, 3, N),)),
    "GQADenseFwdOp": (
        lambda: ops.GQADenseFwdOp(is_causal=True),
        lambda b, s, h: (torch.randn(b, s + 1, 4, N), torch.randn(b, s + 1, 2, N), torch.randn(b, s + 1, 2, N)),
    ),
}
# The first differ from each other and from fixed sizes, so that no two of them become one symbol.
SHAPES = [(5, 6, 9)] + [(2 + i % 7, 2 + i * 3 % 11, 2 + i * 5 % 13) for i in range(49)]


@pytest.mark.parametrize("case", CASES)
def test_one_compilation_serves_fifty_shapes(case):
    make, arguments = CASES[case]
    op = make()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(op, fullgraph=True, backend=counter, dynamic=True)
    for shape in SHAPES:
        args = arguments(*shape)
        torch.testing.assert_close(compiled(*args), op(*args))
    assert counter.frame_count == 1


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("shape", [(0, 3, 4), (1, 3, 4), (3, 0, 4), (3, 1, 4), (1, 1, 1)])
def test_sizes_zero_and_one_are_right(case, shape):
    make, arguments = CASES[case]
    op = make()
    compiled = torch.compile(op, fullgraph=True, backend="aot_eager", dynamic=True)
    for sizes in ((5, 6, 9), shape):
        args = arguments(*sizes)
        torch.testing.assert_close(compiled(*args), op(*args))


def chosen(x, keep):
    """Rows whose number is known only at run time."""
    return x[keep.nonzero().squeeze(1)]


UNBACKED = {
    "RMSNormFwdOp": lambda: (lambda op: lambda x, keep: op(chosen(x, keep)))(ops.RMSNormFwdOp([N], eps=1e-5)),
    "GEMMFwdOp": lambda: (lambda op, w: lambda x, keep: op(chosen(x, keep), w))(ops.GEMMFwdOp(), torch.randn(7, N)),
    "SiLUAndMulFwdOp": lambda: (lambda op: lambda x, keep: op(chosen(x, keep)))(ops.SiLUAndMulFwdOp()),
    "ExpFwdOp": lambda: (lambda op: lambda x, keep: op(chosen(x, keep)))(ops.ExpFwdOp()),
    "SumFwdOp": lambda: (lambda op: lambda x, keep: op(chosen(x, keep)))(ops.SumFwdOp(dim=1)),
}


@pytest.mark.parametrize("case", UNBACKED)
def test_sizes_known_at_run_time_compile_once(case):
    run = UNBACKED[case]()
    counter = CompileCounterWithBackend("aot_eager")
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        compiled = torch.compile(run, fullgraph=True, backend=counter)
        for count in (5, 1, 0, 8):
            x, keep = torch.randn(8, N), torch.arange(8) < count
            torch.testing.assert_close(compiled(x, keep), run(x, keep))
    assert counter.frame_count == 1


def test_a_rule_on_sizes_known_at_run_time_is_checked_there():
    op = ops.GEMMFwdOp()

    def run(x, w, keep):
        return op(chosen(x, keep).t().contiguous(), w)  # the number of rows must be the weight's columns

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(run, fullgraph=True, backend="aot_eager")
        x, w = torch.randn(8, N), torch.randn(7, 5)
        torch.testing.assert_close(compiled(x, w, torch.arange(8) < 5), run(x, w, torch.arange(8) < 5))
        with pytest.raises((RuntimeError, SignatureError)):
            compiled(x, w, torch.arange(8) < 4)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(N))
        self.norm = ops.RMSNormFwdOp([N], eps=1e-5)

    def forward(self, x):
        return self.norm(x, self.weight) + x


def test_a_hundred_alike_instances_compile_at_most_twice():
    counter = CompileCounterWithBackend("eager")

    @torch.compile(backend=counter, fullgraph=True)
    def run(op, x):
        return op(x) + 1

    x = torch.randn(4, N)
    for _ in range(100):
        op = ops.RMSNormFwdOp([N], eps=1e-5)
        torch.testing.assert_close(run(op, x), op(x) + 1)
    assert counter.frame_count <= 2


def test_thirty_layers_that_each_compile_themselves_share_graphs():
    counter = CompileCounterWithBackend("eager")
    layers = [Block() for _ in range(30)]
    for layer in layers:
        layer.compile(backend=counter, fullgraph=True)
    x = torch.randn(4, N)
    with torch.no_grad():
        for layer in layers:
            torch.testing.assert_close(layer(x), layer.norm(x, layer.weight) + x)
    assert counter.frame_count <= 2
