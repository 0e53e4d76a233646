"""An entry's `aten` key puts its operator in front of aten's with no code."""

import pytest
import torch

import opyard
from opyard import _C

ENTRY = """
{op}:
  family: probe
  status: implemented
  signature:
    forall: {{M: Dim, N: Dim, T: "DType[float32 | float64]"}}
    params:
      lambd: {{type: float, default: 0.5}}
    inputs:
      x: {{dtype: T, shape: "[M, N]"}}
    outputs:
      y: {{dtype: T, shape: "[M, N]"}}
    shape_rules: ["lambd >= 0"]
  aten: {aten}
  workloads:
  - {{label: small, M: 2, N: 3, dtype_cases: [{{T: float32}}]}}
  roofline: {{flops: "M * N"}}
"""

# The later file by path has the earlier name.
FILES = {
    "probe_first.yaml": ("ZProbeFwdOp", "{hardshrink: {self: x, lambd: lambd}}"),
    "probe_second.yaml": (
        "AProbeFwdOp",
        "{hardshrink: {self: x, lambd: 2}, lerp.Scalar: {self: null, end: x, weight: 1}}",
    ),
}
X = torch.tensor([[-3.0, 0.25, 4.0]])


def names():
    return [row.name for row in opyard.overrides() if row.operator == "aten::hardshrink"]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """The operators of both files, each with an implementation of its own that marks what it served."""
    folder = tmp_path_factory.mktemp("probes")
    for name in reversed(FILES):
        op, aten = FILES[name]
        (folder / name).write_text(ENTRY.format(op=op, aten=aten))
    opyard.load_manifest(folder)
    registrations = [opyard.register_kernel_type(op, "marks", implementation(op)) for op, _ in FILES.values()]
    yield
    for registration in registrations:
        registration.remove()


def implementation(op):
    from opyard import interfaces

    mark = {"ZProbeFwdOp": 100.0, "AProbeFwdOp": 200.0}[op]

    class Marks(opyard.Kernel, getattr(interfaces, op.removesuffix("FwdOp"))):
        devices = {"cpu"}

        @classmethod
        def refusal(cls, call):
            return None if call.x.shape[1] == 3 else "is for three columns"

        @classmethod
        def entry_for(cls, call):
            return call.lambd, lambda: cls(call.lambd)

        def __init__(self, lambd):
            self.lambd = lambd

        def forward(self, x):
            return torch.full_like(x, mark + self.lambd)

    return Marks


pytestmark = pytest.mark.usefixtures("loaded", "no_overrides_after")


def shrink(x, lambd=0.5):
    return torch.nn.functional.hardshrink(x, lambd)


@pytest.mark.requirement("N66", "N58")
def test_sorted_paths_stand_for_the_order_of_imports():
    rows = [op for op, aten, *_ in _C.routes() if aten == "aten::hardshrink"]
    assert rows == ["ZProbeFwdOp", "AProbeFwdOp"]
    with opyard.enable(only="hardshrink"):
        # Both take a lambd of 2: the one registered last is tried first. Its own parameter keeps the default.
        assert shrink(X, 2).tolist() == [[200.5, 200.5, 200.5]]
    assert names() == []


def test_arguments_become_inputs_and_parameters():
    with opyard.enable(ops="ZProbeFwdOp"):
        assert [shrink(X, lambd)[0, 0].item() for lambd in (0.5, 1.25, 0.5)] == [100.5, 101.25, 100.5]
        out = torch.empty(1, 3)
        assert torch.ops.aten.hardshrink.out(X, 1.0, out=out) is out
        assert out.tolist() == [[101, 101, 101]]


LEFT = {
    "another value of a fixed argument": lambda: shrink(X, 1.0),
    "another rank": lambda: shrink(X[0], 2),
    "another dtype": lambda: shrink(X.bfloat16(), 2),
    "strides that are not dense": lambda: shrink(X.expand(4, 3).t(), 2),
    "a shape that no implementation of its own serves": lambda: shrink(torch.ones(2, 4) * 5, 2),
    "no elements": lambda: shrink(torch.empty(0, 3), 2),
}


@pytest.mark.parametrize("case", LEFT)
def test_other_calls_are_torchs(case):
    want = LEFT[case]()
    with opyard.enable(ops="AProbeFwdOp"):
        got = LEFT[case]()
    assert torch.equal(got, want)
    assert got.stride() == want.stride()


def test_a_parameter_that_the_entry_forbids_is_torchs():
    want = shrink(X, -1.0)
    with opyard.enable(ops="ZProbeFwdOp"):
        assert torch.equal(shrink(X, -1.0), want)


def test_the_gradient_is_torchs():
    x = X.clone().requires_grad_()
    with opyard.enable(ops="AProbeFwdOp"):
        shrink(x, 2).sum().backward()
    assert x.grad.tolist() == [[1, 0, 1]]


def test_a_tensor_that_is_not_read_must_be_one_that_torch_accepts():
    start = torch.full((1, 3), torch.nan)
    with opyard.enable(ops="AProbeFwdOp"):
        assert torch.lerp(start, X, 1).tolist() == [[200.5, 200.5, 200.5]]
        assert torch.lerp(start, X, 0.5).isnan().all()
        with pytest.raises(RuntimeError, match="dtype"):
            torch.lerp(start.double(), X, 1)
        assert torch.lerp(torch.zeros(2, 3), X, 1).shape == (2, 3)
