"""What is measured at a user's request: a kernel's configuration, and the choice where implementations tie."""

from __future__ import annotations

import time
from typing import ClassVar

import pytest
import torch
import torch.nn.functional as F

import opyard
from opyard import _C, _tuning
from opyard.errors import AmbiguousDispatchError
from opyard.interfaces import RMSNorm
from opyard.ops import RMSNormFwdOp

X, W = torch.randn(4, 8), torch.randn(8)
BUILT_IN = frozenset(_C.implementation_keys("RMSNormFwdOp")) - frozenset(_C.general_keys("RMSNormFwdOp"))


class Tiled(opyard.Kernel):
    autotune_configs = ({"tile": 1}, {"tile": 2})
    runs: ClassVar[list[int]] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tile = self.config.get("tile", 0)
        self.runs.append(tile)
        time.sleep(0.002 * (2 - tile))
        return x + 1


@pytest.fixture(autouse=True)
def _no_runs():
    Tiled.runs.clear()


def tuned(x: torch.Tensor) -> Tiled:
    kernel = Tiled()
    kernel.request_tune()
    assert torch.equal(kernel(x), x + 1)
    return kernel


def test_a_configuration_is_measured_once_for_a_machine():
    x = torch.randn(3)
    assert tuned(x).config == {"tile": 2}
    assert set(Tiled.runs) == {0, 1, 2}
    Tiled.runs.clear()
    assert tuned(x).config == {"tile": 2}
    assert Tiled.runs == [2]
    tuned(torch.randn(4))  # another call is measured anew
    assert set(Tiled.runs) == {0, 1, 2}


@pytest.mark.parametrize("text", ["", "3", "-1", "two"])
def test_a_broken_tuning_file_fails_no_call(text):
    x = torch.randn(5 + len(text), 1 if text == "3" else 2)
    configs = [{}, *Tiled.autotune_configs]
    assert _C.stored_text(_tuning._key(Tiled(), configs, (x,), {}), lambda: text) == text
    assert tuned(x).config == {"tile": 2}


def test_a_candidate_that_raises_fails_the_call_and_stores_nothing():
    class Raises(Tiled):
        def forward(self, x):
            if self.config.get("tile") == 2:
                raise RuntimeError("no such tile")
            return x + 1

    kernel = Raises()
    kernel.request_tune()
    with pytest.raises(RuntimeError, match="no such tile"):
        kernel(X)
    assert torch.equal(kernel(X), X + 1)  # no longer in tuned mode
    kernel.request_tune()
    with pytest.raises(RuntimeError, match="no such tile"):
        kernel(X)


def implementation(seconds: float) -> type[opyard.Kernel]:
    class Waits(opyard.Kernel, RMSNorm):
        devices = {"cpu"}
        preferred_over = BUILT_IN

        @classmethod
        def entry_for(cls, call):
            return tuple(call.normalized_shape), lambda: cls()

        def forward(self, x, weight):
            time.sleep(seconds)
            return F.rms_norm(x, (8,), weight, 1e-6)

    return Waits


@pytest.mark.parametrize("faster", ["first", "second"])
def test_where_implementations_tie_the_faster_one_serves_if_tuning_is_asked_for(faster):
    handles = [
        opyard.register_kernel_type("RMSNormFwdOp", key, implementation(0 if key == faster else 0.01))
        for key in ("first", "second")
    ]
    try:
        op = RMSNormFwdOp(normalized_shape=[8], eps=1e-6 if faster == "first" else 1e-5)
        with pytest.raises(AmbiguousDispatchError, match="first, second"):
            op(X, W)
        op.request_tune()
        torch.testing.assert_close(op(X, W), F.rms_norm(X, (8,), W, 1e-6))
        assert op.last_call.implementation == faster
        assert "measured to be ahead" in opyard.explain(op, X, W)
    finally:
        for handle in handles:
            handle.remove()
