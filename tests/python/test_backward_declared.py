"""A user's own entry is differentiated by the backward operator that it names; one that does not fit is an error."""

from __future__ import annotations

import pytest
import torch
from error_text import says

import opyard
from opyard import interfaces, ops
from opyard.errors import ManifestError

ENTRY = """
{name}FwdOp:
  family: small_backward
  status: implemented
  signature:
    forall: {{S: Shape, T: "DType[float32 | float64]"}}
    params:
      factor: {{type: float, default: 2.0}}
    inputs:
      x: {{dtype: T, shape: "[*S]"}}
    outputs:
      y: {{dtype: T, shape: "[*S]"}}
  backward: {backward}
  workloads:
  - {{label: row, S: [3], dtype_cases: [{{T: float32}}]}}
  roofline: {{flops: "prod(S)"}}
"""
BACKWARD = (
    ENTRY.replace("FwdOp:", "BwdOp:")
    .replace("      x: ", "      dy: ")
    .replace("      y: ", "      dx: ")
    .replace("  backward: {backward}\n", "")
)


def load(tmp_path, name: str, backward: str) -> None:
    file = tmp_path / "small_backward.yaml"
    file.write_text(ENTRY.format(name=name, backward=backward) + BACKWARD.format(name=name))
    opyard.load_manifest(file)
    for op in (f"{name}FwdOp", f"{name}BwdOp"):
        opyard.register_kernel_type(op, "python", scaling(op))


def scaling(op: str) -> type:
    """A kernel in Python that multiplies by the operator's factor."""

    class Scale(opyard.Kernel, getattr(interfaces, op.removesuffix("Op").removesuffix("Fwd"))):
        devices = {"cpu"}

        def __init__(self, factor):
            self.factor = factor

        @classmethod
        def entry_for(cls, call):
            return call.factor, lambda: cls(call.factor)

    class Forward(Scale):
        def forward(self, x):
            return x * self.factor

    class Backward(Scale):
        def forward(self, dy):
            return dy * self.factor

    return Backward if op.endswith("BwdOp") else Forward


def test_a_declared_backward_serves_a_users_operator(tmp_path):
    load(tmp_path, "Doubled", "{op: DoubledBwdOp, given: {dy: grad(y), factor: factor}, gives: {dx: x}}")
    x = torch.randn(3, requires_grad=True)
    ops.DoubledFwdOp(factor=3.0)(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.full((3,), 3.0))


FAULTS = {
    "NoSuch": ("{op: MissingBwdOp, given: {dy: grad(y)}, gives: {dx: x}}", ("MissingBwdOp", ":13:18")),
    "BadGiven": ("{op: BadGivenBwdOp, given: {dz: grad(y)}, gives: {dx: x}}", ("BadGivenBwdOp", "dz", ":13:41")),
    "BadGives": ("{op: BadGivesBwdOp, given: {dy: grad(y)}, gives: {dz: x}}", ("BadGivesBwdOp", "dz", ":13:63")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_backward_that_does_not_fit_is_refused_when_the_manifest_is_read(name, tmp_path):
    backward, parts = FAULTS[name]
    file = tmp_path / "small_backward.yaml"
    file.write_text(ENTRY.format(name=name, backward=backward) + BACKWARD.format(name=name))
    with pytest.raises(ManifestError, match=says(*parts)):
        opyard.load_manifest(file)
    assert not hasattr(ops, f"{name}FwdOp")


def test_a_backward_that_is_not_given_all_is_named_with_its_argument(tmp_path):
    backward = "{op: LackingBwdOp, given: {factor: factor}, gives: {dx: x}}"
    file = tmp_path / "small_backward.yaml"
    file.write_text(ENTRY.format(name="Lacking", backward=backward) + BACKWARD.format(name="Lacking"))
    opyard.load_manifest(file)
    with pytest.raises(ManifestError, match=says("LackingBwdOp", "dy")):
        ops.LackingFwdOp()(torch.randn(3, requires_grad=True))


WORDS = {
    "grad(z)": "grad(y)",
    "needs(z)": "needs",
    "'open": "literal",
    "nothing": "literal",
}


@pytest.mark.parametrize("given", WORDS)
def test_a_name_that_means_nothing_is_refused_when_the_manifest_is_read(given, tmp_path):
    file = tmp_path / "small_backward.yaml"
    backward = f'{{op: XBwdOp, given: {{dy: "{given}"}}, gives: {{dx: x}}}}'
    file.write_text(ENTRY.format(name="Words", backward=backward))
    with pytest.raises(ManifestError, match=says("small_backward.yaml", WORDS[given])):
        opyard.load_manifest(file)
