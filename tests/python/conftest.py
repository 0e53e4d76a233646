"""Fixtures of several modules: the reference catalogue, a wheel's manifests that are fetched once and kept in pytest's
cache; and what overrides and graphs leave behind is taken away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from reference_catalogue import fetched

import opyard
from opyard import _C
from opyard.native import registry


@pytest.fixture(scope="session", autouse=True)
def _artefacts(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Neither the user's artefacts nor those of an earlier run. Read when first needed, so set before any test."""
    os.environ["OPYARD_CACHE_DIR"] = str(tmp_path_factory.mktemp("artefacts", numbered=True))


@pytest.fixture(scope="session")
def folder(request: pytest.FixtureRequest) -> Path:
    """The catalogue's manifests."""
    return fetched(Path(request.config.cache.mkdir("reference_catalogue")))


@pytest.fixture(scope="session")
def manifest(folder: Path) -> _C.Manifest:
    """Its operators, checked but not registered."""
    return _C.Manifest(str(folder))


@pytest.fixture
def no_overrides_after() -> Iterator[None]:
    """Takes away every override and filter."""
    yield
    state = registry._filter_state
    registry.reenable_op_overrides(
        enable_dsl_names=list(state._dsl_names),
        enable_op_symbols=list(state._op_symbols),
        enable_dispatch_keys=list(state._dispatch_keys),
    )
    opyard.uninstall()
    assert opyard.overrides() == []


@pytest.fixture
def no_graphs_after() -> Iterator[None]:
    """Forgets what torch.compile made."""
    yield
    torch._dynamo.reset()
