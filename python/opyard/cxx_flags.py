"""`python -m opyard.cxx_flags`: what a C++ program that uses opyard is compiled and linked with."""

from __future__ import annotations

from pathlib import Path

import torch
from torch.utils.cpp_extension import include_paths

import opyard


def flags() -> list[str]:
    """For one command that both compiles and links."""
    package = Path(opyard.__file__).parent
    includes = [str(package / "include"), *include_paths()]
    libraries = [str(package / "lib"), str(Path(torch.__file__).parent / "lib")]
    return [
        "-std=c++20",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        *(f"-I{folder}" for folder in includes),
        *(f"-L{folder}" for folder in libraries),
        *(f"-Wl,-rpath,{folder}" for folder in libraries),
        "-lopyard",
        "-ltorch_cpu",
        "-lc10",
    ]


if __name__ == "__main__":
    print(" ".join(flags()))
