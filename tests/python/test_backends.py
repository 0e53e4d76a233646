"""Backend packages, found by their entry points, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import opyard

GOOD = """
import opyard
opyard.register_kernel_builder("RMSNormFwdOp", "acme", lambda *s, **p: lambda x, w: x * 0)
opyard.register_detector("acme", lambda device: device.type == "cpu")
"""
BAD = """
import opyard
opyard.register_kernel_builder("SiLUAndMulFwdOp", "broken", lambda *s, **p: lambda x: x)
raise ImportError("no driver")
"""


def run(tmp_path, packages: dict[str, str], code: str) -> str:
    """The output of a process that has these packages as backends."""
    for name, text in packages.items():
        (tmp_path / f"{name}.py").write_text(text)
        folder = tmp_path / f"{name}-1.dist-info"
        folder.mkdir(exist_ok=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (folder / "entry_points.txt").write_text(f"[opyard.backends]\n{name} = {name}\n")
    path = os.pathsep.join([str(tmp_path), os.path.dirname(os.path.dirname(opyard.__file__)), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.requirement("C4", "C6", "C59", "C63")
def test_backends_load_at_the_first_construction_and_a_broken_one_breaks_nothing(tmp_path):
    out = run(
        tmp_path,
        {"good": GOOD, "bad": BAD},
        """
        import sys, warnings, torch, opyard
        from opyard.ops import RMSNormFwdOp
        assert "good" not in sys.modules
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            op = RMSNormFwdOp(normalized_shape=[4])
            RMSNormFwdOp(normalized_shape=[4])
        assert "good" in sys.modules
        print([str(w.message) for w in caught if w.category is RuntimeWarning])
        print(op(torch.ones(2, 4)).sum().item(), op.serving_target)
        print(opyard.registered_targets(), opyard.registered_targets("SiLUAndMulFwdOp"))
        print(opyard.load_failures())
        """,
    ).splitlines()
    assert "bad (bad): ImportError: no driver" in out[0]
    assert out[0].count("could not be loaded") == 1
    assert out[1:] == ["0.0 acme", "['acme'] []", "['bad (bad): ImportError: no driver']"]


@pytest.mark.requirement("C6")
def test_an_interrupt_while_loading_propagates_and_loading_resumes(tmp_path):
    interrupting = """
import builtins, opyard
builtins.times = getattr(builtins, "times", 0) + 1
if builtins.times == 1:
    raise KeyboardInterrupt
opyard.register_detector("late", lambda device: False)
"""
    out = run(
        tmp_path,
        {"good": GOOD, "late": interrupting},
        """
        import opyard
        try:
            opyard.registered_targets()
        except KeyboardInterrupt:
            print("interrupted")
        print(opyard.registered_targets(), opyard.load_failures())
        """,
    )
    assert out == "interrupted\n['acme', 'late'] []\n"


@pytest.mark.requirement("C78")
def test_a_backend_may_not_choose_the_default(tmp_path):
    out = run(
        tmp_path,
        {"greedy": GOOD + "opyard.set_default_target('acme')\n"},
        "import warnings; warnings.simplefilter('ignore'); import opyard; print(opyard.load_failures())",
    )
    assert "may not choose the default" in out
