"""opyard: operators for PyTorch, declared once, checked at every call, served by the implementation selected for it."""

from __future__ import annotations

import torch as _torch  # noqa: F401  # its libraries are what ours are linked to

from opyard._C import explain
from opyard._call_spec import CallSpec
from opyard._kernel import Kernel, KernelInterface
from opyard._op import Op, SignatureCall
from opyard._override import Override, aten_original, override
from opyard._overrides import OverrideRow, OverrideTable, overrides, uninstall
from opyard._registered import Registration, register_kernel_type
from opyard._verify import verify
from opyard.backends import load_failures
from opyard.build_events import BuildEvent, log_build, on_build
from opyard.choices import bisect, lock, use, without
from opyard.enable import Handle, disable, enable
from opyard.errors import OpNotAvailableError, OpyardError
from opyard.manifest import load_manifest
from opyard.stats import reset_stats, stats
from opyard.targets import (
    BUILTIN,
    TensorSpec,
    default_target,
    register_detector,
    register_kernel_builder,
    registered_targets,
    set_default_target,
)

__all__ = [
    "BUILTIN",
    "BuildEvent",
    "CallSpec",
    "Handle",
    "Kernel",
    "KernelInterface",
    "Op",
    "OpNotAvailableError",
    "OpyardError",
    "Override",
    "OverrideRow",
    "OverrideTable",
    "Registration",
    "SignatureCall",
    "TensorSpec",
    "aten_original",
    "bisect",
    "default_target",
    "disable",
    "enable",
    "explain",
    "load_failures",
    "load_manifest",
    "lock",
    "log_build",
    "on_build",
    "override",
    "overrides",
    "register_detector",
    "register_kernel_builder",
    "register_kernel_type",
    "registered_targets",
    "reset_stats",
    "set_default_target",
    "stats",
    "uninstall",
    "use",
    "verify",
    "without",
]
