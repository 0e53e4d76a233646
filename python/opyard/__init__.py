"""opyard: operators for PyTorch, declared once, checked at every call, served by the implementation selected for it."""

from __future__ import annotations

import torch as _torch  # noqa: F401  # its libraries are what ours are linked to

from opyard._C import explain
from opyard._override import Override, aten_original, override
from opyard._overrides import OverrideRow, OverrideTable, overrides, uninstall
from opyard.enable import Handle, disable, enable
from opyard.errors import OpyardError
from opyard.manifest import load_manifest
from opyard.stats import reset_stats, stats

__all__ = [
    "Handle",
    "OpyardError",
    "Override",
    "OverrideRow",
    "OverrideTable",
    "aten_original",
    "disable",
    "enable",
    "explain",
    "load_manifest",
    "override",
    "overrides",
    "reset_stats",
    "stats",
    "uninstall",
]
