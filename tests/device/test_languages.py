"""RMSNorm in Triton, TileLang and CuTe DSL, launched from C++: right values, and no package of the language in the
process. What is not installed here comes from a store that was filled elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch

import opyard
from opyard.errors import BuildError, OpNotAvailableError
from opyard.ops import RMSNormFwdOp

LANGUAGES = {"triton": "triton", "tilelang": "tilelang", "cute": "cutlass"}
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 1e-2, torch.float16: 1e-3}


def served(language: str, x: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    with opyard.use(op="RMSNormFwdOp", implementation=language):
        op = RMSNormFwdOp(normalized_shape=[x.shape[-1]], eps=1e-6)
        try:
            y = op(x, weight)
        except (BuildError, OpNotAvailableError) as error:
            if "is not installed" in str(error):
                pytest.skip(f"{language} is not installed, and the store has no such kernel")
            raise
        assert op.last_call.implementation == language
        return y


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("columns", [1024, 4096])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("language", LANGUAGES)
def test_right_values(language: str, columns: int, dtype: torch.dtype, weighted: bool) -> None:
    weight = torch.randn(columns, device="cuda").to(dtype) if weighted else None
    for x in (
        torch.randn(37, columns, device="cuda").to(dtype),
        torch.randn(37, columns + 5, device="cuda").to(dtype)[:, 5:],
        torch.randn(columns, 37, device="cuda").to(dtype).t(),
    ):
        wide = x.double()
        expected = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        expected = expected if weight is None else expected * weight.double()
        y = served(language, x, weight)
        torch.testing.assert_close(y.double(), expected, atol=TOLERANCE[dtype], rtol=TOLERANCE[dtype])


@pytest.mark.parametrize("columns", [1, 7, 100, 576, 5120, 16384])
def test_triton_takes_any_width(columns: int) -> None:
    x = torch.randn(9, columns, device="cuda")
    expected = x.double() * torch.rsqrt(x.double().square().mean(-1, keepdim=True) + 1e-6)
    torch.testing.assert_close(served("triton", x, None).double(), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_stored_kernel_is_launched_without_its_package(language: str) -> None:
    x = torch.randn(4, 4096, device="cuda", dtype=torch.bfloat16)
    served(language, x, None)  # now it is stored
    code = f"""
import sys
for name in ("triton", "tilelang", "nvidia_cutlass_dsl", "cutlass", "tvm"): sys.modules[name] = None
import torch, opyard
from opyard.ops import RMSNormFwdOp
x = torch.ones(4, 4096, device="cuda", dtype=torch.bfloat16)
with opyard.use(op="RMSNormFwdOp", implementation={language!r}):
    op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
    assert torch.equal(op(x), x)
    assert op.last_call.implementation == {language!r}
assert not [name for name, module in sys.modules.items() if name.startswith("opyard.dsl")]
"""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
