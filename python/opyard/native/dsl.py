"""What the modules of all DSLs share: is it there, is its version one that works, and registering in its name."""

from __future__ import annotations

import logging
from functools import cached_property

from opyard.native import registry
from opyard.native.common_utils import (
    _available_version,
    _unavailable_reasons,
    check_native_jit_disabled,
    check_native_version_skip,
)
from opyard.native.node import _OpCondFn, _OpImplFn

Version = tuple[int, int, int]


class Dsl:
    """One DSL: its name, what it needs as (package, module) pairs, the first being its own, and which versions work."""

    def __init__(self, name: str, deps: list[tuple[str, str]], since: tuple[int, int], log: logging.Logger) -> None:
        self.name = name
        self._deps = deps
        self._since = since
        self._log = log

    @cached_property
    def _missing(self) -> str | None:
        reason = _unavailable_reasons(self._deps)
        if reason is not None:
            self._log.info("%s overrides are not registered: %s", self.name, reason)
        return reason

    @cached_property
    def _version_works(self) -> bool:
        version = self.runtime_version()
        works = version is not None and version[0] == self._since[0] and version[1] >= self._since[1]
        if not works and not check_native_version_skip():
            since = ".".join(map(str, self._since))
            self._log.info("%s %s: expected %s or later of the same major version", self.name, version, since)
        return works or check_native_version_skip()

    def runtime_available(self) -> bool:
        return self._missing is None

    def runtime_version(self) -> Version | None:
        """(major, minor, update) of the installed package; None when the DSL is not available."""
        return _available_version(self._deps[0][0]) if self.runtime_available() else None

    def register_op_override(
        self,
        lib_symbol: str,
        op_symbol: str,
        dispatch_key: str,
        cond: _OpCondFn | None = None,
        impl: _OpImplFn | str | None = None,
        *,
        allow_multiple_override: bool = False,
        unconditional_override: bool = False,
    ) -> None:
        """`opyard.native.registry.register_op_override` in this DSL's name; its docstring explains the arguments.

        Does nothing, and logs why at INFO, where the DSL is missing, switched off or of a version that does not work.
        """
        if check_native_jit_disabled():
            self._log.info("%s overrides are not registered: TORCH_DISABLE_NATIVE_JIT=1", self.name)
            return
        if not self.runtime_available() or not self._version_works:
            return
        registry.register_op_override(
            self.name,
            lib_symbol,
            op_symbol,
            dispatch_key,
            cond,
            impl,
            allow_multiple_override=allow_multiple_override,
            unconditional_override=unconditional_override,
        )

    def deregister_op_overrides(self) -> None:
        """Switches off all overrides of this DSL, and no others."""
        registry.deregister_op_overrides(disable_dsl_names=self.name)
