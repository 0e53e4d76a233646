"""Operators and enabled models under torch.compile and torch.export."""

from __future__ import annotations

import pytest
import torch
from built_in import built_in
from torch._dynamo.testing import CompileCounterWithBackend

from opyard import _C, ops
from opyard.testing import sample_calls

N = 16
CASES = {
    "RMSNormFwdOp": (
        lambda: ops.RMSNormFwdOp(normalized_shape=[N], eps=1e-5),
        lambda b: (torch.randn(b, N), torch.randn(N)),
    ),
    "RMSNormFwdOp without weight": (
        lambda: ops.RMSNormFwdOp(normalized_shape=[N], eps=1e-5),
        lambda b: (torch.randn(b, N),),
    ),
    "SiLUAndMulFwdOp": (ops.SiLUAndMulFwdOp, lambda b: (torch.randn(b, 2 * N),)),
    "GEMMFwdOp": (ops.GEMMFwdOp, lambda b: (torch.randn(b, N), torch.randn(7, N))),
    "GEMMFwdOp with bias": (ops.GEMMFwdOp, lambda b: (torch.randn(b, N), torch.randn(7, N), torch.randn(7))),
    "BMMFwdOp": (ops.BMMFwdOp, lambda b: (torch.randn(b, 3, N), torch.randn(b, N, 4))),
    "RoPENeoxPositionIdsFwdOp": (
        lambda: ops.RoPENeoxPositionIdsFwdOp(max_position=128),
        lambda b: (torch.randn(b, 3, N), torch.arange(b) % 128),
    ),
    "GQADenseFwdOp": (
        lambda: ops.GQADenseFwdOp(is_causal=True),
        lambda b: (torch.randn(2, b, 4, N), torch.randn(2, b, 2, N), torch.randn(2, b, 2, N)),
    ),
}


@pytest.fixture(autouse=True)
def cold():
    torch._dynamo.reset()


BOUNDED = [name for name in built_in() if _C.describe(name)["compile_op_names"]]


def _leaves(result) -> list[torch.Tensor]:
    outputs = result if isinstance(result, tuple) else (result,)
    return [output for output in outputs if output is not None]


@pytest.mark.requirement("C44")
@pytest.mark.parametrize("name", BOUNDED)
def test_every_operator_with_a_boundary_compiles_cold_as_one_graph(name):
    call = next(call for call in sample_calls(name) if all(t.numel() for t in call.args))
    eager_args, args = ([t.clone() for t in call.args] for _ in range(2))
    expected = _leaves(call.operator(*eager_args, **call.kwargs))
    results = _leaves(torch.compile(call.operator, fullgraph=True)(*args, **call.kwargs))
    # Results and what the call writes.
    torch.testing.assert_close([*results, *args], [*expected, *eager_args], equal_nan=True)


@pytest.mark.requirement("C42")
@pytest.mark.parametrize("case", CASES)
def test_compiles_cold_as_one_graph_with_the_eager_answer(case):
    make, arguments = CASES[case]
    op, args = make(), arguments(6)
    compiled = torch.compile(op, fullgraph=True)
    torch.testing.assert_close(compiled(*args), make()(*args))


@pytest.mark.parametrize("case", CASES)
def test_dynamic_sizes_compile_once(case):
    make, arguments = CASES[case]
    op = make()
    counter = CompileCounterWithBackend("eager")
    compiled = torch.compile(op, fullgraph=True, backend=counter, dynamic=True)
    for batch in (5, 6, 9, 40, 3):
        args = arguments(batch)
        torch.testing.assert_close(compiled(*args), op(*args))
    assert counter.frame_count == 1


def test_alike_instances_share_one_graph():
    counter = CompileCounterWithBackend("eager")

    @torch.compile(backend=counter, fullgraph=True)
    def run(op, x):
        return op(x) + 1

    x = torch.randn(4, N)
    for _ in range(30):
        op = ops.RMSNormFwdOp(normalized_shape=[N], eps=1e-5)
        torch.testing.assert_close(run(op, x), op(x) + 1)
    assert counter.frame_count <= 2


@pytest.mark.parametrize("case", CASES)
def test_exports_with_the_custom_op_as_a_node(case):
    make, arguments = CASES[case]

    class Holder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.op = make()

        def forward(self, *args):
            return self.op(*args)

    args = arguments(6)
    program = torch.export.export(Holder(), args)
    name = make().compile_op_names[0].split("::")[1]
    assert any(name in str(node.target) for node in program.graph.nodes)
    torch.testing.assert_close(program.module()(*args), make()(*args))


def test_opcheck_passes_for_every_operator():
    for case, (make, arguments) in CASES.items():
        op, args = make(), arguments(6)
        names = list(op._overload._schema.arguments)[:-1]
        padded = tuple(args) + (None,) * (len(names) - len(args))
        result = torch.library.opcheck(op._overload, (*padded, op._graph_key))
        assert set(result.values()) == {"SUCCESS"}, (case, result)


def test_a_bad_call_is_refused_while_tracing():
    op = ops.RMSNormFwdOp(normalized_shape=[N])
    with pytest.raises(Exception, match="RMSNormFwdOp"):
        torch.compile(op, fullgraph=True)(torch.randn(3, N + 1))
