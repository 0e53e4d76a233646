"""What a call writes and returns: in-place activations, running statistics, outputs that are None."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

from opyard import _C, ops
from opyard.errors import SignatureValueError

IN_PLACE = {
    "ReLUFwdOp": functional.relu,
    "SiLUFwdOp": functional.silu,
    "HardswishFwdOp": functional.hardswish,
    "HardsigmoidFwdOp": functional.hardsigmoid,
    "MishFwdOp": functional.mish,
    "SELUFwdOp": functional.selu,
    "LeakyReLUFwdOp": functional.leaky_relu,
    "ELUFwdOp": functional.elu,
    "HardtanhFwdOp": functional.hardtanh,
}


class Seen(TorchDispatchMode):
    """Keeps the names of the operators that pass."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.name())
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_in_place_the_output_is_the_input(name, dtype):
    op = getattr(ops, name)(inplace=True)
    for x in (torch.randn(5, 33).to(dtype), torch.randn(7, 5).to(dtype).t(), torch.randn(9).to(dtype)[2:7]):
        expected, version = IN_PLACE[name](x.clone()), x._version
        assert op(x) is x
        assert x._version > version
        torch.testing.assert_close(x, expected)


@pytest.mark.parametrize("name", IN_PLACE)
def test_otherwise_the_input_stays(name):
    x = torch.randn(5, 33)
    before = x.clone()
    y = getattr(ops, name)()(x)
    assert torch.equal(x, before)
    torch.testing.assert_close(y, IN_PLACE[name](before))


def test_in_place_on_nothing_gives_the_input():
    x = torch.empty(0, 3)
    assert ops.ReLUFwdOp(inplace=True)(x) is x


def test_in_place_on_an_expanded_tensor_is_refused():
    with pytest.raises(SignatureValueError, match="share memory"):
        ops.ReLUFwdOp(inplace=True)(torch.randn(1, 3).expand(4, 3))


def test_each_effect_has_a_custom_op():
    assert ops.ReLUFwdOp.compile_op_names == (
        "opyard::elementwise_relu_fwd",
        "opyard::elementwise_relu_fwd_writes_input",
    )
    assert ops.GELUFwdOp.compile_op_names == ("opyard::elementwise_gelu_fwd",)


def test_a_mode_sees_the_custom_op_of_the_call():
    x = torch.randn(3)
    with Seen() as seen:
        assert ops.ReLUFwdOp(inplace=True)(x) is x
        ops.ReLUFwdOp()(x)
    assert seen.names == ["opyard::elementwise_relu_fwd_writes_input", "opyard::elementwise_relu_fwd"]


def test_the_custom_op_of_another_effect_is_refused():
    with pytest.raises(SignatureValueError, match="other effects"):
        torch.ops.opyard.elementwise_relu_fwd(torch.randn(3), ops.ReLUFwdOp(inplace=True)._graph_key)


def test_compiles_in_place_as_one_graph():
    op = ops.ReLUFwdOp(inplace=True)

    def step(x):
        doubled = x * 2
        return op(doubled) + doubled

    x = torch.randn(4, 8)
    torch.testing.assert_close(torch.compile(step, fullgraph=True)(x), step(x))
    y = x.clone()
    torch.compile(op, fullgraph=True)(y)
    assert torch.equal(y, x.relu())


@pytest.mark.parametrize("inplace", [False, True])
def test_the_custom_op_passes_torchs_own_check(inplace):
    op = ops.ReLUFwdOp(inplace=inplace)
    overload = _C.effect_table(op)[()][0]
    assert set(torch.library.opcheck(overload, (torch.randn(3), op._graph_key)).values()) == {"SUCCESS"}


def test_copies_write_as_the_original_does():
    op = ops.ReLUFwdOp(inplace=True)
    for other in (copy.deepcopy(op), pickle.loads(pickle.dumps(op))):
        x = torch.tensor([-1.0, 2.0])
        assert other(x) is x
