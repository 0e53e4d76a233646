"""Copies of operators: a key of their own, bound to nothing, the kernels shared."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch

import opyard
from opyard.ops import RMSNormFwdOp
from small_operators import Rows, RowScaleFwdOp, TwoScalesFwdOp

X, SCALE = torch.randn(4, 8), torch.randn(8)


def saved(op):
    buffer = io.BytesIO()
    torch.save(op, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=False)


COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda op: pickle.loads(pickle.dumps(op)),
    "save": saved,
}
MAKERS = {
    "declared": lambda: RMSNormFwdOp(normalized_shape=[8], eps=1e-6),
    "written": lambda: RowScaleFwdOp(3.0),
    "composite": lambda: TwoScalesFwdOp(3.0),
    "for a target": lambda: RowScaleFwdOp(3.0, target=opyard.BUILTIN),
}


@pytest.mark.requirement("C29")
@pytest.mark.parametrize("copying", COPIES)
@pytest.mark.parametrize("maker", MAKERS)
def test_a_copy_has_its_own_key_no_target_and_the_same_kernels(maker, copying):
    op = MAKERS[maker]()
    want = op(X, SCALE)
    builds = Rows.builds
    made = COPIES[copying](op)
    assert made._instance_key != op._instance_key
    assert made.serving_target is None
    assert made.target is op.target
    with pytest.raises(RuntimeError, match="no call"):
        made.last_call  # noqa: B018
    assert torch.equal(made(X, SCALE), want)
    assert Rows.builds == builds
    assert set(vars(made)) == set(vars(op))
    if maker == "composite":
        assert all(a is not b for a, b in zip(made.held_delegates(), op.held_delegates()))
        assert made.last_call.stages["first"][0].operator == "RowScaleFwdOp"


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(SCALE.clone())
        self.norm = RowScaleFwdOp(2.0)
        self.same = self.norm

    def forward(self, x):
        return self.same(x, self.scale)


@pytest.mark.requirement("C29")
@pytest.mark.parametrize("copying", ["deepcopy", "pickle", "save"])
@torch.no_grad()
def test_a_module_that_holds_one_is_copied_with_it(copying):
    block = Block()
    want = block(X)
    made = COPIES[copying](block)
    assert made.norm is made.same
    assert made.norm is not block.norm
    assert torch.equal(made(X), want)
    made.scale.zero_()
    assert torch.equal(block(X), want)


@pytest.mark.requirement("C30")
def test_an_instance_that_is_dropped_is_gone():
    import weakref

    op = TwoScalesFwdOp()
    op(X, SCALE)
    seen = [weakref.ref(op), *map(weakref.ref, op.held_delegates())]
    key = op.held_delegates()[0]._graph_key
    del op
    assert [ref() for ref in seen] == [None, None, None]
    with pytest.raises(ValueError, match="(?s)gone.*RowScaleFwdOp"):
        torch.ops.opyard.probe_row_scale_fwd(X, SCALE, None, key)
