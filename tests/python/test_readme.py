"""The README's examples run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("example", blocks("python"), ids=["operator", "model"])
def test_python_example_runs(example):
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "FwdOp" in done.stdout


def test_cpp_example_compiles_and_runs(tmp_path):
    (example,) = blocks("cpp")
    (tmp_path / "example.cpp").write_text(example, encoding="utf-8")
    flags = subprocess.run([sys.executable, "-m", "opyard.cxx_flags"], capture_output=True, text=True, check=True)
    compile_command = ["g++", "example.cpp", *flags.stdout.split(), "-o", "example"]
    compiled = subprocess.run(compile_command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    done = subprocess.run([tmp_path / "example"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[8, 4096]\n"


@pytest.mark.parametrize("target", ["demo", "test", "bench"])
def test_named_target_is_in_the_makefile(target):
    assert f"make {target}" in README
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
