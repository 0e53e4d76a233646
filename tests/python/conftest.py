"""The reference catalogue: a wheel's manifests, fetched once and kept in pytest's cache."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from opyard import _C

WHEEL = ["--no-deps", "--python-version", "3.12", "--only-binary=:all:", "tileops==0.1.0"]


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
