"""A Triton kernel in an override's implementation, on a machine without a GPU: traced, and passed over where it cannot
be launched."""

import pytest
import torch
import triton
import triton.language as tl
from exported_adds import Adds, targets
from torch.fx.experimental.proxy_tensor import make_fx

import opyard
from opyard.native import native_decomp_table, triton_utils

pytestmark = pytest.mark.usefixtures("no_overrides_after", "no_graphs_after")
X = torch.arange(100.0)


@triton.jit
def add_kernel(x, y, out, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out + offsets, tl.load(x + offsets, mask=inside) + tl.load(y + offsets, mask=inside), mask=inside)


def add(x, y):
    out = torch.empty_like(x)
    count = x.numel()
    torch.library.wrap_triton(add_kernel)[(triton.cdiv(count, 64),)](x, y, out, count, BLOCK=64)
    return out


@pytest.fixture
def registered():
    """The opaque operator's id."""
    triton_utils.register_op_override("aten", "add.Tensor", "CPU", lambda x, y, **_: x.ndim == 1, add)
    (row,) = opyard.overrides()
    return row.name


@pytest.mark.requirement("N12")
def test_an_implementation_is_traced_down_to_its_kernel():
    graph = make_fx(add, tracing_mode="fake")(X, X)
    assert targets(graph) == ["aten.empty_like.default", "triton_kernel_wrapper_mutation"]
    (call,) = (node for node in graph.graph.nodes if "triton" in str(node.target))
    assert call.kwargs["grid"] == [(2, 1, 1)]
    assert call.kwargs["kwargs"]["count"] == 100


@pytest.mark.requirement("N12")
def test_a_graph_has_the_override_where_its_condition_holds(registered):
    program = torch.export.export(Adds(), (X, X)).run_decompositions(native_decomp_table())
    assert targets(program) == [f"opyard_native.{registered}.default"]
    square = torch.ones(2, 2)
    program = torch.export.export(Adds(), (square, square)).run_decompositions(native_decomp_table())
    assert targets(program) == ["aten.add.Tensor"]


def test_without_a_driver_it_falls_through_with_one_warning(registered):
    with pytest.warns(RuntimeWarning, match="cannot start") as warnings:
        assert torch.equal(X + X, 2 * X)
    assert torch.equal(X + X, 2 * X)
    assert len(warnings) == 1
    (row,) = opyard.overrides()
    assert (row.hits, row.last_reason) == (0, "its implementation cannot start")
