"""What importing opyard.native and registering do in a fresh process, and do not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

requirement = pytest.mark.requirement

REGISTER = """
import sys, torch, opyard.native as native
from opyard.native import triton_utils, cutedsl_utils
def impl(x):
    import colorsys
    return x
for utils in (triton_utils, cutedsl_utils):
    utils.register_op_override("aten", "relu", "CPU", lambda x: x.ndim == 1, impl)
native.register_op_override("mine", "aten", "relu", "CPU", lambda x: x.ndim == 1, impl)
native.register_op_override("mine", "aten", "relu", "CUDA", lambda x: True, impl)
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
        timeout=120,
    )


@requirement("N9", "N10", "N25")
def test_registering_loads_no_dsl_and_no_compiler():
    unwanted = ["triton", "cutlass", "tilelang", "helion", "torch._inductor", "torch._dynamo", "colorsys"]
    done = run(REGISTER + f"print([module for module in {unwanted} if module in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


@requirement("N12")
def test_the_first_call_imports_what_the_implementation_needs():
    done = run(REGISTER + "torch.relu(torch.ones(1)); print('colorsys' in sys.modules)")
    assert done.stdout == "True\n", done.stderr


@requirement("N10", "N11")
def test_registering_asks_cuda_nothing_and_a_forked_child_routes():
    trap = """
import torch
def trap(*a, **k): raise AssertionError("CUDA was asked")
for name in ("is_available", "get_device_capability", "device_count", "init", "_lazy_init", "current_device"):
    setattr(torch.cuda, name, trap)
"""
    child = """
import os, threading
torch.relu(torch.ones(1))
assert not torch.cuda.is_initialized()
child = os.fork()
if child == 0:
    with __import__("opyard").override("aten::neg", "CPU", impl=lambda x: x):
        ok = torch.neg(torch.ones(1)).item() == 1 and torch.relu(torch.ones(1)).item() == 1
    os._exit(0 if ok else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = run(trap + REGISTER + child)
    assert done.stdout == "0\n", done.stderr


@requirement("N7")
def test_importing_changes_no_operator():
    done = run(
        "import torch; names = ('aten::mm', 'aten::relu', 'aten::add.Tensor'); "
        "dump = lambda: [torch._C._dispatch_dump_table(name) for name in names]; "
        "before = dump(); import opyard, opyard.native; print(before == dump(), opyard.overrides())"
    )
    assert done.stdout.splitlines()[0].startswith("True"), done.stderr


@requirement("N72")
@pytest.mark.parametrize("environment", [{}, {"TORCH_DISABLE_NATIVE_JIT": "1"}])
def test_nothing_is_written(environment):
    done = run(REGISTER + "torch.relu(torch.ones(1))", **environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@requirement("N71", "N74")
@pytest.mark.parametrize("setting", ["+native_dsl", "native_dsl"])
def test_torch_logs_shows_the_records(setting):
    done = run(REGISTER + "native.deregister_op_overrides(disable_dsl_names='mine')", TORCH_LOGS=setting)
    assert "switching off overrides of dsl mine" in done.stderr
    assert "DSL 'triton' registered" in done.stderr


@requirement("N70")
def test_every_module_that_logs_has_a_logger_of_its_name():
    import opyard.native

    for path in Path(opyard.native.__file__).parent.glob("*.py"):
        text = path.read_text()
        assert text.count("logging.getLogger(") == text.count("log = logging.getLogger(__name__)") + 3 * (
            path.stem == "logs"
        )


@requirement("N42", "N53")
def test_the_global_switch_stops_dsl_registrations():
    code = "from opyard.native import triton_utils, registry, common_utils as c; print(c.check_native_jit_disabled());"
    code += (
        "triton_utils.register_op_override('aten', 'relu', 'CPU', lambda x: True, lambda x: x); print(registry._graphs)"
    )
    done = run(code, TORCH_DISABLE_NATIVE_JIT="1")
    assert done.stdout == "True\n{}\n", done.stderr


@requirement("N26")
def test_torchs_registry_and_opyards_share_a_process_and_leave_in_any_order():
    code = """
import itertools, torch, opyard
from torch._native import registry as theirs
X = torch.ones(2)
def put_theirs(value):
    double = lambda x: x.dtype == torch.float64
    theirs.register_op_override("t", "aten", "relu", "CPU", double, lambda x: x.new_full((), value))
    theirs._register_overrides_from_graph("relu", "CPU", theirs._graphs[("relu", "CPU")])
def drop_theirs():
    theirs._graphs[("relu", "CPU")].clear()
    theirs._register_overrides_from_graph("relu", "CPU", [])
for first, leaves_first in itertools.product(("opyard", "theirs"), repeat=2):
    if first == "theirs": put_theirs(5)
    handle = opyard.override("aten::relu", "CPU", when={"dtype": "float32"}, impl=lambda x: x.new_full((), 7))
    if first == "opyard": put_theirs(5)
    assert torch.relu(X).item() == 7 and torch.relu(X.double()).item() == 5 and torch.relu(X.int()).tolist() == [1, 1]
    if leaves_first == "opyard":
        handle.remove()
        assert torch.relu(X).tolist() == [1, 1] and torch.relu(X.double()).item() == 5
        drop_theirs()
    else:
        drop_theirs()
        assert torch.relu(X).item() == 7 and torch.relu(X.double()).tolist() == [1, 1]
        handle.remove()
    assert torch.relu(X).tolist() == [1, 1] and torch.relu(X.double()).tolist() == [1, 1]
    opyard.uninstall()
print("all")
"""
    done = run(code)
    assert done.stdout == "all\n", done.stderr
