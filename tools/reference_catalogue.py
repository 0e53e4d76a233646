"""The catalogue that the manifest's language comes from: a wheel of PyPI, of which only the manifests are kept."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

WHEEL = ["--no-deps", "--python-version", "3.12", "--only-binary=:all:", "tileops==0.1.0"]


def fetched(cache: Path) -> Path:
    """The folder of its manifests, below `cache`; brought there if it is not."""
    found = cache / "tileops" / "manifest" / "spec"
    if not found.is_dir():
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *WHEEL, "-d", str(cache)], check=True)
        with zipfile.ZipFile(next(cache.glob("tileops-*.whl"))) as wheel:
            wheel.extractall(cache, [n for n in wheel.namelist() if n.startswith("tileops/manifest/spec/")])
    return found
