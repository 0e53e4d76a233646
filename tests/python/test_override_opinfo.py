"""torch's own samples of overridden operators, forward and gradient, give what they give without overrides."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from dsl_opinfo import LEAVES, dsl_ops_by_dsl, entries, override_all, restricted
from torch.testing._internal.common_utils import freeze_rng_state
from torch.utils._pytree import tree_flatten

import opyard

requirement = pytest.mark.requirement
DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
FORWARD = [(op, dtype, False) for op in restricted() for dtype in DTYPES if op.supports_dtype(dtype, "cpu")]
ROWS = FORWARD + [(op, dtype, True) for op, dtype, _ in FORWARD if dtype in op.supported_backward_dtypes("cpu")]


def row_name(row):
    op, dtype, gradients = row
    return f"{op.name}-{str(dtype)[6:]}-{'gradient' if gradients else 'forward'}"


def calls(op, dtype, requires_grad):
    with freeze_rng_state():
        torch.manual_seed(0)
        return list(op.sample_inputs("cpu", dtype, requires_grad=requires_grad))


def tensors(tree):
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def results(op, dtype, gradients):
    """Of samples made anew: some operators write their inputs."""
    rows = []
    for sample in calls(op, dtype, gradients):
        outputs = tensors(op(sample.input, *sample.args, **sample.kwargs))
        if gradients:
            inputs = [t for t in tensors([sample.input, sample.args, sample.kwargs]) if t.requires_grad]
            differentiable = [o for o in outputs if o.requires_grad]
            total = sum((o.sum() for o in differentiable), torch.zeros((), dtype=torch.float64))
            outputs = list(torch.autograd.grad(total, inputs, allow_unused=True)) if differentiable and inputs else []
        rows.append(
            [(t.detach().clone(memory_format=torch.preserve_format), t.stride()) for t in outputs if t is not None]
        )
    return rows


@requirement("N14", "N75", "N76")
@pytest.mark.parametrize(("op", "dtype", "gradients"), ROWS, ids=map(row_name, ROWS))
def test_samples_give_what_they_give_without_overrides(op, dtype, gradients):
    want = results(op, dtype, gradients)
    for when in (None, {"ndim": 9}):
        with override_all(when):
            got = results(op, dtype, gradients)
            used = sum(row.hits + row.falls for row in opyard.overrides())
        assert used > 0
        for got_row, want_row in zip(got, want, strict=True):
            assert [stride for _, stride in got_row] == [stride for _, stride in want_row]
            for (got_value, _), (want_value, _) in zip(got_row, want_row, strict=True):
                torch.testing.assert_close(got_value, want_value, rtol=0, atol=0, equal_nan=True)


@requirement("N75")
def test_every_overridden_operator_has_an_entry_and_an_unknown_one_fails():
    assert {op.name for op in dsl_ops_by_dsl["opyard"]} == set(LEAVES.values())
    with pytest.raises(KeyError, match="no_such_operator"):
        entries("no_such_operator")


@requirement("N77", "N78")
def test_a_dsl_named_in_the_environment_is_tested_alone():
    code = "import dsl_opinfo; print(len(dsl_opinfo.restricted()))"
    for dsl, count in (("opyard", len(dsl_ops_by_dsl["opyard"])), ("triton", 0)):
        # torch's own filter reads the same variable and would empty op_db: it is set after torch's import.
        setting = "import os, torch.testing._internal.common_methods_invocations; "
        setting += f"os.environ['OPINFO_RESTRICT_TO_DSL'] = '{dsl}'; "
        done = subprocess.run(
            [sys.executable, "-c", setting + code],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)])},
        )
        assert done.stdout == f"{count}\n", done.stderr


SERVED = [
    "mm",
    "addmm",
    "bmm",
    "matmul",
    "linalg.multi_dot",
    "nn.functional.linear",
    "baddbmm",
    "addbmm",
    "__rmatmul__",
]


PRODUCTS = [
    (op, dtype, gradients)
    for name in SERVED
    for op in entries(name)
    for dtype in DTYPES
    for gradients in (False, True)
    if op.supports_dtype(dtype, "cpu") and (not gradients or dtype in op.supported_backward_dtypes("cpu"))
]


@pytest.mark.parametrize(("op", "dtype", "gradients"), PRODUCTS, ids=map(row_name, PRODUCTS))
def test_the_matrix_products_that_opyard_serves_agree(op, dtype, gradients):
    want = results(op, dtype, gradients)
    with opyard.enable():
        got = results(op, dtype, gradients)
    for got_row, want_row in zip(got, want, strict=True):
        for (got_value, got_stride), (want_value, want_stride) in zip(got_row, want_row, strict=True):
            assert got_stride == want_stride
            torch.testing.assert_close(got_value, want_value)
