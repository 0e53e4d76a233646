"""DSL modules by the file spec: those that are shipped, and a new one."""

import inspect
import logging
import textwrap

import pytest
import torch

import opyard
from opyard.native import (
    cutedsl_utils,
    helion_utils,
    nvrtc_utils,
    registry,
    tilelang_utils,
    triton_utils,
)
from opyard.native.dsl import Dsl
from opyard.native.dsl_registry import dsl_registry

requirement = pytest.mark.requirement
MODULES = [triton_utils, cutedsl_utils, tilelang_utils, helion_utils, nvrtc_utils]


@pytest.fixture(autouse=True)
def _clean():
    yield
    registry.reenable_op_overrides(enable_dsl_names=list(registry._filter_state._dsl_names))
    opyard.uninstall()


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
