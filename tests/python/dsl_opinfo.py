"""Which of torch's OpInfo entries test which overrides, and op_db as a test process extends it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo

import opyard

# An override of a leaf, and the entry of op_db whose inputs reach it. The implementation is torch's own kernel, so that
# every input has a right answer: what differs is the way there.
LEAVES = {
    "aten::relu": "nn.functional.relu",
    "aten::silu": "nn.functional.silu",
    "aten::gelu": "nn.functional.gelu",
    "aten::add.Tensor": "add",
    "aten::mul.Tensor": "mul",
    "aten::atan2": "atan2",
    "aten::maximum": "maximum",
    "aten::_softmax": "softmax",
    "aten::_log_softmax": "log_softmax",
    "aten::native_layer_norm": "nn.functional.layer_norm",
    "aten::native_group_norm": "nn.functional.group_norm",
    "aten::mm": "mm",
    "aten::addmm": "addmm",
    "aten::bmm": "bmm",
    "aten::baddbmm": "baddbmm",
    "aten::sum.dim_IntList": "sum",
    "aten::amax": "amax",
    "aten::topk": "topk",
    "aten::cumsum": "cumsum",
    "aten::index_select": "index_select",
    "aten::hypot": "hypot",
    "aten::where.self": "where",
    "aten::clamp.Tensor": "clamp",
    "aten::elu": "nn.functional.elu",
    "aten::hardtanh": "nn.functional.hardtanh",
    "aten::sort.stable": "sort",
    "aten::argmax": "argmax",
    "aten::mean.dim": "mean",
    "aten::native_batch_norm": "nn.functional.batch_norm",
    "aten::mv": "mv",
    "aten::dot": "dot",
    "aten::gather": "gather",
    "aten::scatter_add": "scatter_add",
    "aten::tril": "tril",
    "aten::eq.Tensor": "eq",
    "aten::logical_not": "logical_not",
    "aten::embedding": "nn.functional.embedding",
}


def entries(name: str) -> list[OpInfo]:
    """Raises for a name that op_db lacks."""
    found = [op for op in op_db if op.name == name and not op.variant_test_name]
    if not found:
        raise KeyError(f"op_db has no entry '{name}'")
    return found


dsl_ops_by_dsl: dict[str, list[OpInfo]] = {"opyard": [op for name in LEAVES.values() for op in entries(name)]}


def restricted() -> list[OpInfo]:
    """What is tested: all entries, or those of the DSL that OPINFO_RESTRICT_TO_DSL names."""
    dsl = os.environ.get("OPINFO_RESTRICT_TO_DSL")
    if dsl is None:
        return [op for ops in dsl_ops_by_dsl.values() for op in ops]
    return dsl_ops_by_dsl.get(dsl, [])


def own_kernel(operator: Callable[..., object]) -> Callable[..., object]:
    """An implementation that is torch's kernel at the key."""

    def call(*args: object, **kwargs: object) -> object:
        with opyard.aten_original():
            return operator(*args, **kwargs)

    return call


def override_all(when: object = None) -> ExitStack:
    """Every leaf of LEAVES served by its own kernel, where `when` holds."""
    stack = ExitStack()
    for leaf in LEAVES:
        name, _, overload = leaf.removeprefix("aten::").partition(".")
        operator = getattr(getattr(torch.ops.aten, name), overload or "default")
        stack.enter_context(opyard.override(leaf, "CPU", when=when, impl=own_kernel(operator)))
    return stack
