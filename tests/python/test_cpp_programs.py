"""The programs of examples/cpp as a user builds them: a project of its own that finds the installed package, and runs
without Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import opyard

EXAMPLES = Path(__file__).parents[2] / "examples"
PACKAGE = Path(opyard.__file__).parent


def run(*command: str | Path) -> str:
    # As in a shell where nothing of opyard or torch was set up.
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpp")
    find = [f"-Dopyard_ROOT={PACKAGE}", f"-DOPYARD_TORCH_DIR={Path(torch.__file__).parent}"]
    run("cmake", "-G", "Ninja", "-S", EXAMPLES / "cpp", "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *find)
    run("cmake", "--build", folder)
    return folder


def test_a_server_calls_declares_implements_and_overrides_operators(build: Path) -> None:
    lines = run(build / "example_serving", EXAMPLES / "cpp" / "add_scaled.yaml").splitlines()
    assert lines[0] == "RMSNormFwdOp: vec"
    assert any(line.strip().startswith("vec: chosen") for line in lines)
    assert lines[-3:] == [
        "declared: AddScaledFwdOp",
        "AddScaledFwdOp: two_passes",
        "aten::relu: served 1 call of three",
    ]


def test_a_composite_records_the_calls_of_what_it_holds(build: Path) -> None:
    lines = run(build / "example_composite", EXAMPLES / "cpp" / "gated_norm.yaml").splitlines()
    assert "width must be that of the rows" in lines[0]
    assert lines[-2:] == ["norm: vec", "gate: vec"]


def test_a_package_of_aot_inductor_runs_in_c_plus_plus_with_the_eager_answer(build: Path, tmp_path: Path) -> None:
    sys.path.insert(0, str(EXAMPLES))
    from export_for_cpp import HIDDEN, Gate, main

    main(str(tmp_path / "model.pt2"))
    numbers = [float(line) for line in run(build / "example_aot_inductor", tmp_path / "model.pt2").split()]
    rows = [torch.linspace(-1, 1, count * HIDDEN).view(count, HIDDEN) for count in (2, 5)]
    expected = torch.cat([Gate()(x).flatten() for x in rows])
    torch.testing.assert_close(torch.tensor(numbers), expected)


@pytest.mark.parametrize(
    "program", ["example_implementation", "example_serving", "example_composite", "example_aot_inductor"]
)
def test_no_program_needs_a_library_of_python(build: Path, program: str) -> None:
    needed = re.findall(r"^\s*(\S+) =>", run("ldd", build / program), re.MULTILINE)
    assert "libopyard.so" in needed
    assert not [name for name in needed if "python" in name]
