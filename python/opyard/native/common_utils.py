"""What DSL modules ask of the installation, without importing anything."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from functools import cache


@cache
def check_native_jit_disabled() -> bool:
    """True when TORCH_DISABLE_NATIVE_JIT=1 switches all DSLs off."""
    return os.getenv("TORCH_DISABLE_NATIVE_JIT", "0") == "1"


@cache
def check_native_version_skip() -> bool:
    """True when TORCH_NATIVE_SKIP_VERSION_CHECK=1 lets any version of a DSL register."""
    return os.getenv("TORCH_NATIVE_SKIP_VERSION_CHECK", "0") == "1"


def _available_version(package: str) -> tuple[int, int, int] | None:
    """The installed version as (major, minor, update), `0.7.0rc1` as (0, 7, 0); None when absent or unreadable."""
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
    from torch._vendor.packaging.version import InvalidVersion, Version

    try:
        major, minor, update = (*Version(version).release, 0, 0)[:3]
    except InvalidVersion:
        return None
    return major, minor, update


def _unavailable_reasons(deps: list[tuple[str, str]]) -> str | None:
    """For (package, module) pairs: what to install where a module is missing, or None."""
    missing = [(package, module) for package, module in deps if not _is_importable(module)]
    if not missing:
        return None
    modules = ", ".join(f"`{module}`" for _, module in missing)
    return f"missing optional module {modules}: pip install {' '.join(package for package, _ in missing)}"


_unavailable_reason = _unavailable_reasons


def _is_importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):
        return False
