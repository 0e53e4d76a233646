"""What the tests of overrides in graphs share: a module that adds, exported and decomposed, and an override of add."""

from __future__ import annotations

import torch

from opyard.native import native_decomp_table, registry

ADD = torch.ops.aten.add.Tensor
INPUTS = (torch.ones(3), torch.ones(3))


class Adds(torch.nn.Module):
    def forward(self, x, y):
        return x + y


def seven(x, *_args, **_kwargs):
    return torch.full_like(x, 7)


def register(cond=lambda *_a, **_k: True, op="add.Tensor", key="CPU", impl=seven, dsl="one"):
    """The opaque operator's id."""
    registry.register_op_override(dsl, "aten", op, key, cond, impl)
    return registry._graphs[(op, key)][0].node_id


def targets(program):
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


def decomposed(module=None, inputs=INPUTS, **more):
    return torch.export.export(module or Adds(), inputs, **more).run_decompositions(native_decomp_table())
