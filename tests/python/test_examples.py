"""The examples run as they stand, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import opyard

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
OUTPUT = {
    "python_kernel.py": ["served by by_torch", "by_torch: refuses: is for two rows or more"],
    "python_operator.py": ["['OneColumn', 'Reduce']", "a row has at least one column"],
    "composite.py": ["norm ['", "gate ['"],
    "user_decides.py": ["1 call compared, 0 differences", "at fault: None", '"implementation"'],
}
ELSEWHERE = {"export_for_cpp.py"}  # runs with the C++ program that it writes for, in test_cpp_programs.py


def run(arguments: list[str], *paths: Path) -> str:
    path = os.pathsep.join(map(str, [*paths, Path(opyard.__file__).parents[1], *sys.path]))
    result = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_example_has_its_expected_output():
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*OUTPUT, *ELSEWHERE}


@pytest.mark.parametrize("name", OUTPUT)
def test_an_example_runs(name):
    out = run([str(EXAMPLES / name)])
    for line in OUTPUT[name]:
        assert line in out


def test_the_backend_package_serves_once_it_is_installed(tmp_path):
    project = tomllib.loads((EXAMPLES / "backend_package" / "pyproject.toml").read_text())["project"]
    folder = tmp_path / "acme_opyard-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    rows = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(rows))
    code = """
import torch
from opyard.ops import RMSNormFwdOp
op = RMSNormFwdOp(normalized_shape=[8])
x, w = torch.randn(4, 8), torch.randn(8)
torch.testing.assert_close(op(x, w), torch.nn.functional.rms_norm(x, (8,), w))
print(op.serving_target)
"""
    assert run(["-c", code], tmp_path, EXAMPLES / "backend_package") == "acme\n"
