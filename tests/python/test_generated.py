"""What is generated from an entry says what the entry says: class, docstring, stub, documentation page."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from built_in import built_in

import opyard
from opyard import _C, ops

ROOT = Path(__file__).parents[2]
OPERATORS = built_in()
# The others have a class with a body of its own, which takes and documents more than the entry.
GENERATED = [name for name in OPERATORS if getattr(ops, name).__init__.__code__.co_filename == f"<opyard {name}>"]


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stub_file():
    """Beside the installed package, or where the build wrote it."""
    installed = Path(opyard.__file__).parent / "ops.pyi"
    return installed if installed.exists() else Path(_C.__file__).resolve().parents[2] / "generated" / "ops.pyi"


STUB = {
    node.name: {f.name: f for f in node.body if isinstance(f, ast.FunctionDef)}
    for node in ast.parse(stub_file().read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef)
}


def arguments(function: ast.FunctionDef):
    """Name, whether it may be left out, whether it is given by name."""
    positional = function.args.args
    optional = len(positional) - len(function.args.defaults)
    rows = [(a.arg, i >= optional, False) for i, a in enumerate(positional)]
    return rows + [(a.arg, d is not None, True) for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults)]


def parameters(function):
    kinds = inspect.Parameter
    return [
        (p.name, p.default is not kinds.empty, p.kind is kinds.KEYWORD_ONLY)
        for p in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("method", ["__init__", "__call__"])
def test_the_stub_has_the_signature_of_the_class(name, method):
    assert arguments(STUB[name][method]) == parameters(getattr(getattr(ops, name), method))


def test_the_stub_has_every_operator_and_no_other():
    assert sorted(STUB) == sorted(OPERATORS)


CHECKED = """
import torch
from opyard.ops import GEMMFwdOp, GQADenseFwdOp, RMSNormFwdOp
norm = RMSNormFwdOp([8], eps=1e-5)
y: torch.Tensor = norm(torch.ones(2, 8), weight=torch.ones(8))
attend = GQADenseFwdOp(rope_layout="neox", out_dtype=torch.float32)
"""
REFUSED = {
    "norm(3)": "arg-type",
    "norm()": "call-arg",
    "norm(y, wieght=y)": "call-arg",
    "RMSNormFwdOp()": "call-arg",
    "RMSNormFwdOp(eps='small', normalized_shape=[8])": "arg-type",
    "GQADenseFwdOp(rope_layout='other')": "arg-type",
    "GEMMFwdOp(True, True, 'builtin')": "call-arg|misc",
}


def test_a_type_checker_accepts_right_calls_and_refuses_wrong_ones(tmp_path):
    package = tmp_path / "opyard"
    package.mkdir()
    for file in ("_op.py", "_C.pyi", "__init__.py"):
        source = Path(opyard.__file__).parent / file
        (package / file).write_text("" if file == "__init__.py" else source.read_text(encoding="utf-8"))
    (package / "ops.pyi").write_text(stub_file().read_text(encoding="utf-8"))
    (package / "py.typed").write_text("")
    program = tmp_path / "program.py"
    program.write_text(CHECKED + "\n".join(REFUSED) + "\n")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    first = CHECKED.count("\n") + 1
    lines = [line for line in done.stdout.splitlines() if line.startswith("program.py:") and "error" in line]
    assert {int(line.split(":")[1]) for line in lines} == set(range(first, first + len(REFUSED))), done.stdout


@pytest.mark.parametrize("name", GENERATED)
def test_the_docstring_says_what_the_entry_says(name):
    facts, text = _C.declaration(name), getattr(ops, name).__doc__
    assert text.startswith(facts["summary"])
    said = [part["name"] for kind in ("params", "inputs", "outputs") for part in facts[kind]]
    said += [part["shape"] for kind in ("inputs", "outputs") for part in facts[kind]]
    said += [part for rule in facts["rules"] for part in rule] + [index for index, _ in facts["forall"]]
    for part in [*said, facts["reference"], facts["example"].splitlines()[0], "SignatureError"]:
        assert part in text, part


@pytest.mark.parametrize("name", OPERATORS)
def test_the_example_of_an_entry_runs(name):
    facts = _C.declaration(name)
    assert facts["example"]
    names = {"torch": torch, name: getattr(ops, name)}
    exec(facts["example"], names)
    assert any(isinstance(value, (torch.Tensor, tuple)) for value in names.values())


def test_the_pages_are_those_of_the_manifest():
    assert load_tool("write_docs").stale() == [], "run make docs"


def test_a_stale_page_is_found(tmp_path):
    tool = load_tool("write_docs")
    for name, text in tool.pages().items():
        (tmp_path / name).write_text(text)
    assert tool.stale(tmp_path) == []
    (tmp_path / "GEMMFwdOp.md").write_text("old")
    (tmp_path / "NoSuchFwdOp.md").write_text("left behind")
    (tmp_path / "README.md").unlink()
    assert tool.stale(tmp_path) == ["GEMMFwdOp.md", "NoSuchFwdOp.md", "README.md"]


def test_the_example_of_the_testing_page_runs():
    (example,) = re.findall(
        r"^```python\n(.*?)^```$", (ROOT / "docs" / "testing.md").read_text(), re.DOTALL | re.MULTILINE
    )
    exec(example, {})
