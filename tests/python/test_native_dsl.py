"""DSL modules by the file spec, the registry of DSLs, and the utilities that they use."""

import importlib.metadata
import inspect
import logging
import sys
import textwrap
from types import SimpleNamespace

import pytest
import torch

import opyard
from opyard.native import (
    common_utils,
    cutedsl_utils,
    helion_utils,
    nvrtc_utils,
    registry,
    tilelang_utils,
    triton_utils,
)
from opyard.native.dsl import Dsl
from opyard.native.dsl_registry import DSLRegistry, dsl_registry

requirement = pytest.mark.requirement
MODULES = [triton_utils, cutedsl_utils, tilelang_utils, helion_utils, nvrtc_utils]


@pytest.fixture(autouse=True)
def _clean():
    yield
    registry.reenable_op_overrides(enable_dsl_names=list(registry._filter_state._dsl_names))
    opyard.uninstall()


def fake_dsl(**answers):
    names = ("runtime_available", "runtime_version", "register_op_override", "deregister_op_overrides")
    answers = {"runtime_available": lambda: True, "runtime_version": lambda: (1, 2, 3)} | answers
    return SimpleNamespace(**{name: answers.get(name, lambda *_: None) for name in names})


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rsplit(".", 1)[1])
@requirement("N44", "N45", "N46", "N47")
def test_a_shipped_dsl_module_has_the_four_functions(module):
    available = module.runtime_available()
    assert isinstance(available, bool)
    version = module.runtime_version()
    assert (version is not None) == available
    assert version is None or [type(part) for part in version] == [int] * 3
    parameters = inspect.signature(module.register_op_override).parameters
    assert list(parameters) == [
        "lib_symbol",
        "op_symbol",
        "dispatch_key",
        "cond",
        "impl",
        "allow_multiple_override",
        "unconditional_override",
    ]
    assert [p.kind.name for p in parameters.values()][5:] == ["KEYWORD_ONLY"] * 2
    assert inspect.getdoc(module.register_op_override)
    assert module.log.name == module.__name__
    assert module.__name__.rsplit(".", 1)[1].removesuffix("_utils") in dsl_registry.list_all_dsls()


@requirement("N38", "N51")
def test_a_new_dsl_is_one_file(tmp_path, monkeypatch):
    (tmp_path / "made_up_utils.py").write_text(
        textwrap.dedent("""
        import logging, sys
        from opyard.native.dsl import Dsl
        from opyard.native.dsl_registry import dsl_registry
        log = logging.getLogger(__name__)
        _dsl = Dsl("made_up", [("pytest", "pytest")], since=(1, 0), log=log)
        _dsl._since = _dsl.runtime_version()[:2]
        runtime_available, runtime_version = _dsl.runtime_available, _dsl.runtime_version
        register_op_override, deregister_op_overrides = _dsl.register_op_override, _dsl.deregister_op_overrides
        dsl_registry.register_dsl("made_up", sys.modules[__name__])
    """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    import made_up_utils

    assert "made_up" in dsl_registry.list_available_dsls()
    made_up_utils.register_op_override("aten", "relu", "CPU", lambda x: True, lambda x: x + 1)
    registry.register_op_override("other", "aten", "neg", "CPU", lambda x: True, lambda x: x + 1)
    assert torch.relu(torch.zeros(1)).item() == 1
    made_up_utils.deregister_op_overrides()
    assert torch.relu(torch.zeros(1)).item() == 0
    assert torch.neg(torch.zeros(1)).item() == 1


@requirement("N53", "N73")
@pytest.mark.parametrize(
    ("deps", "since", "said"),
    [
        ([("not-there", "not_there")], (1, 0), "pip install not-there"),
        ([("pytest", "pytest")], (999, 0), "expected 999.0"),
    ],
)
def test_a_missing_or_wrong_dsl_registers_nothing_and_says_so_at_info(caplog, deps, since, said):
    dsl = Dsl("absent", deps, since, logging.getLogger("opyard.native.test"))
    with caplog.at_level(logging.DEBUG, "opyard.native"):
        dsl.register_op_override("aten", "relu", "CPU", lambda x: True, lambda x: x + 1)
    assert registry.get_dsl_operations("absent") == []
    assert [record.levelno for record in caplog.records] == [logging.INFO]
    assert said in caplog.text


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
