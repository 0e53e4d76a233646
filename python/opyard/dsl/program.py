"""What a compiler gives back, and the module that a program's text becomes."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

_NAMES = itertools.count()

#: A parameter that the compiler added; a launch leaves it null.
NOTHING = -1


@dataclass(frozen=True)
class Compiled:
    """Machine code for one architecture, and what a launch of it must be."""

    function: str
    threads: int
    shared_bytes: int
    cluster: int
    #: For each parameter of the machine code the program's, by its place, or NOTHING.
    parameters: list[int]
    image: bytes


@contextlib.contextmanager
def module_of(source: str) -> Iterator[tuple[ModuleType, Path]]:
    """The text as a module, and a folder that lives as long: these languages read their functions from a file."""
    name = f"_opyard_program_{next(_NAMES)}"
    with tempfile.TemporaryDirectory(prefix="opyard-program-") as folder:
        file = Path(folder, f"{name}.py")
        file.write_text(source)
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
            yield module, Path(folder)
        finally:
            del sys.modules[name]


def capability(arch: str) -> int:
    """90 of "sm_90a"."""
    return int(arch.removeprefix("sm_").rstrip("af"))
