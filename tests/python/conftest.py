"""Fixtures of several modules: the reference catalogue, a wheel's manifests that are fetched once and kept in pytest's
cache; and what overrides and graphs leave behind is taken away."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import opyard
from opyard import _C
from opyard.native import registry

WHEEL = ["--no-deps", "--python-version", "3.12", "--only-binary=:all:", "tileops==0.1.0"]


@pytest.fixture(scope="session", autouse=True)
def _artefacts(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither the user's artefacts nor those of an earlier run. Read when first needed, so set before any test."""
    os.environ["OPYARD_CACHE_DIR"] = str(tmp_path_factory.mktemp("artefacts", numbered=True))


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path:
    """The catalogue's manifests."""
    cache = Path(request.config.cache.mkdir("reference_catalogue"))
    found = cache / "tileops" / "manifest" / "spec"
    if not found.is_dir():
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *WHEEL, "-d", str(cache)], check=True)
        with zipfile.ZipFile(next(cache.glob("tileops-*.whl"))) as wheel:
            wheel.extractall(cache, [n for n in wheel.namelist() if n.startswith("tileops/manifest/spec/")])
    return found


@pytest.fixture(scope="session")
def manifest(folder: Path) -> _C.Manifest:
    """Its operators, checked but not registered."""
    return _C.Manifest(str(folder))


@pytest.fixture
def no_overrides_after() -> Iterator[None]:
    """Takes away every override and filter."""
    yield
    state = registry._filter_state
    registry.reenable_op_overrides(
        enable_dsl_names=list(state._dsl_names),
        enable_op_symbols=list(state._op_symbols),
        enable_dispatch_keys=list(state._dispatch_keys),
    )
    opyard.uninstall()
    assert opyard.overrides() == []


@pytest.fixture
def no_graphs_after() -> Iterator[None]:
    """Forgets what torch.compile made."""
    yield
    torch._dynamo.reset()
