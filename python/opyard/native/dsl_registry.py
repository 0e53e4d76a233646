"""The DSLs: modules by the file spec, which say whether their runtime is there and register in its name."""

from __future__ import annotations

import functools
import logging
from typing import Any, Protocol, cast

log = logging.getLogger(__name__)

_METHODS = ("runtime_available", "runtime_version", "register_op_override", "deregister_op_overrides")


class DSLModuleProtocol(Protocol):
    """What `<dsl>_utils.py` has."""

    def runtime_available(self) -> bool: ...
    def runtime_version(self) -> Any: ...
    def deregister_op_overrides(self) -> None: ...
    def register_op_override(self, *args: Any, **kwargs: Any) -> None: ...


class DSLRegistry:
    """Answers are kept: what is installed does not change while a process runs."""

    def __init__(self) -> None:
        self._dsl_modules: dict[str, DSLModuleProtocol] = {}
        # One cache for each registry, not one of the class.
        self.is_dsl_available = functools.cache(self._is_dsl_available)
        self.get_dsl_version = functools.cache(self._get_dsl_version)
        self.list_available_dsls = functools.cache(self._list_available_dsls)
        self.list_all_dsls = functools.cache(self._list_all_dsls)

    def register_dsl(self, name: str, dsl_module: object) -> None:
        """Raises TypeError for a module that lacks one of the four functions."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a DSL: expected a string, got {type(name).__name__}")
        if not name.strip():
            raise ValueError("the name of a DSL: expected one, got an empty string")
        missing = [method for method in _METHODS if not callable(getattr(dsl_module, method, None))]
        if missing:
            raise TypeError(f"the DSL module '{name}' lacks {', '.join(missing)}")
        known = self._dsl_modules.get(name)
        if known is dsl_module:
            log.debug("DSL '%s' re-registered with same module", name)
            return
        if known is not None:
            log.warning("DSL '%s' re-registered with different module, which replaces the other", name)
        self._dsl_modules[name] = cast(DSLModuleProtocol, dsl_module)
        for cached in (self.is_dsl_available, self.get_dsl_version, self.list_available_dsls, self.list_all_dsls):
            cached.cache_clear()
        log.info("DSL '%s' registered", name)

    def _is_dsl_available(self, dsl_name: str) -> bool:
        module = self._dsl_modules.get(dsl_name)
        try:
            return module is not None and bool(module.runtime_available())
        except Exception:
            log.warning("DSL '%s' cannot say whether it is available, so it is not", dsl_name, exc_info=True)
            return False

    def _get_dsl_version(self, dsl_name: str) -> Any:
        module = self._dsl_modules.get(dsl_name)
        try:
            return module.runtime_version() if module is not None else None
        except Exception:
            log.info("DSL '%s' cannot say its version", dsl_name, exc_info=True)
            return None

    def _list_available_dsls(self) -> tuple[str, ...]:
        return tuple(name for name in self._dsl_modules if self.is_dsl_available(name))

    def _list_all_dsls(self) -> tuple[str, ...]:
        return tuple(self._dsl_modules)

    def get_dsl_module(self, name: str) -> DSLModuleProtocol | None:
        return self._dsl_modules.get(name)


dsl_registry = DSLRegistry()
