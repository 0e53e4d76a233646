"""What importing opyard does, and does not do, in a fresh process."""

import subprocess
import sys

import pytest


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_import_says_nothing():
    done = run("import torch, opyard, opyard.ops")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("module", ["transformers", "triton", "tilelang", "cutlass", "torch._inductor", "typer"])
def test_import_loads_no(module):
    done = run(f"import torch, opyard, opyard.ops, sys; print({module!r} in sys.modules)")
    assert done.stdout == "False\n", done.stderr


def test_import_starts_no_thread():
    code = "import torch, os; before = len(os.listdir('/proc/self/task')); import opyard, opyard.ops; "
    done = run(code + "print(len(os.listdir('/proc/self/task')) - before)")
    assert done.stdout == "0\n", done.stderr


def test_import_changes_no_aten_operator():
    code = (
        "import torch; dump = lambda: torch._C._dispatch_dump_table('aten::mm'); before = dump(); "
        "import opyard, opyard.ops; print(before == dump())"
    )
    done = run(code)
    assert done.stdout == "True\n", done.stderr


def test_a_forked_child_calls_operators_after_the_parent_used_openmp():
    code = """
import os, torch
from opyard.ops import GEMMFwdOp
gemm = GEMMFwdOp()
x, w = torch.randn(1, 2048), torch.randn(8192, 2048)
want = gemm(x, w)
torch.randn(2048, 2048) @ torch.randn(2048, 64)
child = os.fork()
if child == 0:
    same = torch.equal(gemm(x, w), want)
    fresh = GEMMFwdOp(trans_b=False)(x, w.t())
    os._exit(0 if same and torch.allclose(fresh, want, atol=1e-3) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "0\n", done.stderr
