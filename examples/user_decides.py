"""Choosing implementations oneself: for a block, a thread or the process; checking them; finding the one at fault."""

import tempfile
from pathlib import Path

import torch

import opyard
from opyard.ops import RMSNormFwdOp

op = RMSNormFwdOp(normalized_shape=[64], eps=1e-6)
x = torch.randn(4, 64)
op(x)
selected = op.last_call.implementation

with opyard.without(op="RMSNormFwdOp", implementation=selected):
    op(x)
    print("without", selected, "it is", op.last_call.implementation)
    other = op.last_call.implementation

with opyard.use(op="RMSNormFwdOp", implementation=other):
    assert op(x).shape == x.shape
    assert op.last_call.implementation == other

with opyard.verify() as found:  # the selected implementation against the general one, on the calls of the block
    op(x)
print(found.compared, "call compared,", len(found.differences), "differences")

print("at fault:", opyard.bisect(lambda: torch.isfinite(op(x)).all().item()))

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "selection.lock"
    with opyard.lock(path):
        op(x)
    with opyard.use(lock=path):  # here, or in another process
        op(x)
    print(path.read_text())
