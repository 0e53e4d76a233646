"""The library has no Python in it: no include of it outside src/python, and none among the libraries it needs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from opyard import _C

ROOT = Path(__file__).parents[2]
INCLUDE = re.compile(
    r"#\s*include\s*[<\"](Python\.h|pybind11/|torch/extension\.h|torch/csrc/(python|.*/python_))", re.M
)
SOURCES = [
    file
    for folder in ("src", "include", "kernels", "operators", "examples/cpp", "tools", "bench")
    for file in (ROOT / folder).rglob("*")
    if file.suffix in (".h", ".cpp", ".cu", ".cuh") and ROOT / "src" / "python" not in file.parents
]


def test_only_the_binding_includes_python():
    assert len(SOURCES) > 100
    assert [str(file) for file in SOURCES if INCLUDE.search(file.read_text(encoding="utf-8"))] == []


def test_the_library_needs_no_python():
    library = next(Path(_C.__file__).parent.glob("**/libopyard.so"))
    dynamic = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    assert any(name.startswith("libtorch_cpu") for name in needed)
    assert [name for name in needed if "python" in name] == []
