"""What DSL modules ask of the installation, and the registry of DSLs."""

import importlib.metadata
import logging
import sys
from types import SimpleNamespace

import pytest

from opyard.native import (
    common_utils,
    cutedsl_utils,
    helion_utils,
    nvrtc_utils,
    tilelang_utils,
    triton_utils,
)
from opyard.native.dsl_registry import DSLRegistry

requirement = pytest.mark.requirement
MODULES = [triton_utils, cutedsl_utils, tilelang_utils, helion_utils, nvrtc_utils]


def fake_dsl(**answers):
    names = ("runtime_available", "runtime_version", "register_op_override", "deregister_op_overrides")
    answers = {"runtime_available": lambda: True, "runtime_version": lambda: (1, 2, 3)} | answers
    return SimpleNamespace(**{name: answers.get(name, lambda *_: None) for name in names})


VERSIONS = [
    ("1.2.3", (1, 2, 3)),
    ("0.7.0rc1", (0, 7, 0)),
    ("3.1.0.post1", (3, 1, 0)),
    ("2.6+cpu", (2, 6, 0)),
    ("new", None),
]


@pytest.mark.parametrize(("text", "want"), VERSIONS)
@requirement("N40", "N43")
def test_versions_are_three_integers(monkeypatch, text, want):
    monkeypatch.setattr(importlib.metadata, "version", lambda package: text)
    assert common_utils._available_version("some-package") == want


@requirement("N40", "N41", "N43")
def test_utilities_import_nothing(monkeypatch):
    assert common_utils._available_version("not-a-package-of-anybody") is None
    sys.modules.pop("wave", None)
    assert common_utils._unavailable_reasons([("wave", "wave")]) is None
    assert "wave" not in sys.modules
    reason = common_utils._unavailable_reasons([("a-b", "no_parent.child"), ("wave", "wave"), ("c", "not_c")])
    assert "pip install a-b c" in reason


@requirement("N39")
@pytest.mark.parametrize(("value", "want"), [("1", True), ("0", False), (None, False)])
def test_the_global_switch_is_read(monkeypatch, value, want):
    monkeypatch.delenv("TORCH_DISABLE_NATIVE_JIT", raising=False)
    if value is not None:
        monkeypatch.setenv("TORCH_DISABLE_NATIVE_JIT", value)
    common_utils.check_native_jit_disabled.cache_clear()
    assert common_utils.check_native_jit_disabled() is want
    common_utils.check_native_jit_disabled.cache_clear()


@requirement("N52")
def test_a_module_without_a_function_is_refused():
    module = fake_dsl()
    del module.runtime_version
    with pytest.raises(TypeError, match="runtime_version"):
        DSLRegistry().register_dsl("lacks", module)


@pytest.mark.parametrize(("name", "error"), [(None, TypeError), (3, TypeError), ("", ValueError), (" \t", ValueError)])
def test_a_dsl_has_a_name(name, error):
    with pytest.raises(error):
        DSLRegistry().register_dsl(name, fake_dsl())


def test_the_registry_answers_for_known_and_unknown_dsls(caplog):
    def broken():
        raise RuntimeError("no driver")

    dsls = DSLRegistry()
    assert (dsls.list_all_dsls(), dsls.list_available_dsls()) == ((), ())
    dsls.register_dsl("works", fake_dsl())
    dsls.register_dsl("absent", fake_dsl(runtime_available=lambda: False))
    dsls.register_dsl("broken", fake_dsl(runtime_available=broken, runtime_version=broken))
    assert dsls.list_all_dsls() == ("works", "absent", "broken")
    assert dsls.list_available_dsls() == ("works",)
    assert [dsls.get_dsl_version(name) for name in ("works", "broken", "unknown")] == [(1, 2, 3), None, None]
    assert not dsls.is_dsl_available("unknown")
    other = fake_dsl()
    with caplog.at_level(logging.DEBUG, "opyard.native"):
        dsls.register_dsl("works", other)
        dsls.register_dsl("works", other)
    assert "different module" in caplog.text
    assert "same module" in caplog.text
    assert dsls.get_dsl_module("works") is other
