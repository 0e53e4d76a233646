"""What an operator goes through, from its constructor to the record of a call: what other files do not show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

import opyard
from opyard.errors import OpNotAvailableError, SignatureError
from small_operators import Rows, RowScaleCall, RowScaleFwdOp, RowScaleInterface, fresh

X, SCALE = torch.randn(4, 8), torch.randn(8)
SOURCES = Path(opyard.__file__).parent


def row_sum_spec(**params):
    return {
        "family": "probe",
        "signature": {
            "forall": {"M": "Dim", "N": "Dim", "T": "DType[float32]"},
            "params": {"dim": {"type": "int", "default": -1}, "keepdim": {"type": "bool", "default": False}, **params},
            "inputs": {"x": {"dtype": "T", "shape": "[M, N]"}},
            "outputs": {"output": {"dtype": "T", "shape": "[M]"}},
        },
    }


class ReductionBase(opyard.Op):
    """A family base: it takes the family's arguments and assigns them."""

    steps: list[str] = []

    def __init__(self, dim=-1, keepdim=False, *, target=None):
        self.dim, self.keepdim = dim, keepdim
        self.steps.append("assigned")
        super().__init__(target=target)
        self.axes = (self.dim,)  # derived, not of the manifest

    def _construct(self, *args):
        self.steps.append("base")
        super()._construct(*args)


class ProbeSumFwdOp(ReductionBase):
    spec = row_sum_spec()
    runs = 0

    def forward(self, x):
        type(self).runs += 1
        return x.sum(self.axes)


@pytest.mark.requirement("C2", "C15", "C31")
def test_a_family_base_assigns_its_arguments_and_calls_the_base_last():
    ReductionBase.steps.clear()
    op = ProbeSumFwdOp(dim=1)
    assert ReductionBase.steps == ["assigned", "base"]
    torch.testing.assert_close(op(X), X.sum(1))
    with pytest.raises(TypeError, match="keepdim"):
        ProbeSumFwdOp(keepdim=2.5)


@pytest.mark.requirement("C48", "C49", "C51")
def test_an_empty_input_with_a_result_that_has_elements_runs():
    op = ProbeSumFwdOp()
    runs = ProbeSumFwdOp.runs
    assert op(torch.empty(1, 0)).tolist() == [0.0]
    assert ProbeSumFwdOp.runs == runs + 1
    assert op(torch.empty(0, 3)).shape == (0,)
    assert ProbeSumFwdOp.runs == runs + 1


@pytest.mark.requirement("C14", "C23")
def test_a_parameter_that_an_injected_object_decides_is_settled_first():
    class Experts:
        activation = "silu"

    class ProbeMoEFwdOp(opyard.Op):
        spec = {
            "family": "probe",
            "signature": {
                "forall": {"M": "Dim", "T": "DType[float32]"},
                "params": {"activation": {"type": "'silu' | 'gelu'", "default": "gelu"}},
                "inputs": {"x": {"dtype": "T", "shape": "[M]"}},
                "outputs": {"output": {"dtype": "T", "shape": "[M]"}},
            },
        }
        injected_parameters = ("experts",)

        def __init__(self, activation="gelu", *, experts=None, target=None):
            self.experts = experts
            self.activation = activation if experts is None else experts.activation
            super().__init__(target=target)

        def forward(self, x):
            return getattr(torch.nn.functional, self.activation)(x)

    x = torch.randn(5)
    op = ProbeMoEFwdOp(experts=Experts())
    torch.testing.assert_close(op(x), torch.nn.functional.silu(x))
    assert op.last_call.params == {"activation": "silu"}
    assert not op._share_entries  # what an injected object decides is in no identity
    Experts.activation = "tanh"
    with pytest.raises(TypeError, match="activation"):
        ProbeMoEFwdOp(experts=Experts())


GRID = {
    "family": "probe",
    "signature": {
        "params": {
            "seq_len": {"type": "int"},
            "out_dtype": {"type": "float32 | float64", "default": "float32"},
            "device": {"type": "str | None", "default": None},
        },
        "inputs": {},
        "outputs": {"output": {"dtype": "out_dtype", "shape": "[seq_len, seq_len]"}},
    },
}


class GridFwdOp(opyard.Op):
    spec = GRID
    kernels = False
    runs = 0

    def __init__(self, seq_len, out_dtype=torch.float32, device=None, *, target=None):
        self.seq_len, self.out_dtype, self.device = seq_len, out_dtype, device
        super().__init__(target=target)

    def forward(self):
        type(self).runs += 1
        if self.kernels:
            self.kernel_for("scale", RowScaleCall(None, self.seq_len, self.out_dtype))
        return torch.ones(self.seq_len, self.seq_len, dtype=self.out_dtype)


@pytest.mark.requirement("C21", "C40", "C68")
def test_an_operator_without_tensor_inputs_takes_dims_and_dtypes_as_parameters():
    op = GridFwdOp(3, torch.float64, device="cpu")
    assert op().shape == (3, 3)
    assert op().dtype is torch.float64
    assert op.last_call.device == torch.device("cpu")
    assert op.serving_target is opyard.BUILTIN
    assert GridFwdOp.compile_op_names == ()
    with pytest.raises(TypeError):
        op(X)
    for bad in ({"seq_len": "3"}, {"seq_len": 3, "out_dtype": torch.int32}):
        with pytest.raises((TypeError, ValueError)):
            GridFwdOp(**bad)


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is a device to select for")
@pytest.mark.requirement("C69", "C70")
def test_where_nothing_names_a_device_the_body_runs_and_nothing_is_bound():
    op = GridFwdOp(3)
    assert op().shape == (3, 3)
    assert op.serving_target is None
    cls = fresh(GridFwdOp, "GridKernelsFwdOp", kernels=True, runs=0, interfaces={"scale": RowScaleInterface})
    cls.kernel_types = {"rows": Rows}
    op = cls(3)
    with pytest.raises(OpNotAvailableError, match="device"):
        op()
    assert (cls.runs, op.serving_target) == (1, None)
    with pytest.raises(OpNotAvailableError):
        GridFwdOp(3, target="nobody")()


@pytest.mark.requirement("C69", "C79")
def test_a_named_target_serves_without_a_device():
    registration = opyard.register_kernel_builder(
        "GridFwdOp", "probe", lambda *, seq_len, out_dtype, device: lambda: torch.zeros(seq_len, seq_len)
    )
    op = GridFwdOp(2, target="probe")
    assert op().tolist() == [[0, 0], [0, 0]]
    assert op.serving_target == "probe"
    registration.remove()


class TableFwdOp(opyard.Op):
    spec = {
        "family": "probe",
        "signature": {
            "forall": {"N": "Dim", "T": "DType[float32]", "R": "DType[float32]"},
            "params": {"table": {"dtype": "R", "shape": "[N]"}},
            "inputs": {"x": {"dtype": "T", "shape": "[N]"}},
            "outputs": {"output": {"dtype": "T", "shape": "[N]"}},
        },
    }

    def __init__(self, table, *, target=None):
        self.table = table
        super().__init__(target=target)

    def forward(self, x):
        return x * self.table


@pytest.mark.requirement("C26", "C54")
def test_a_tensor_given_at_construction_takes_part_in_the_check():
    table = torch.arange(3.0)
    op = TableFwdOp(table)
    assert op(torch.ones(3)).tolist() == [0, 1, 2]
    assert op.last_call.tensors["table"] == ((3,), "float32")
    with pytest.raises(SignatureError, match="table|x"):
        op(torch.ones(4))
    with pytest.raises(SignatureError, match="table"):
        TableFwdOp(table.double())(torch.ones(3))
    other = TableFwdOp(table + 1)
    assert other(torch.ones(3)).tolist() == [1, 2, 3]
    assert op(torch.ones(3)).tolist() == [0, 1, 2]


@pytest.mark.requirement("C8")
def test_what_parameters_solve_is_kept_and_not_solved_again():
    spec = row_sum_spec(width={"type": "int", "default": 4})
    spec["signature"]["let"] = {"half": "width // 2"}
    op = fresh(ProbeSumFwdOp, "LetFwdOp", spec=spec, width=4)()
    assert op._construction_indices == {"half": 2}
    op(X)
    op.width = 10
    op(torch.randn(2, 3))
    assert op._construction_indices == {"half": 2}
    assert op.last_call.indices["half"] == 2


@pytest.mark.requirement("C13")
def test_no_code_asks_whether_a_field_of_an_instance_exists():
    for path in (SOURCES / name for name in ("_op.py", "_kernel_lookup.py", "_composite.py", "_copies.py")):
        for line in path.read_text().splitlines():
            assert not re.search(r"hasattr\(self|getattr\(self, \"_\w+\",", line), (path.name, line)


@pytest.mark.requirement("C25")
def test_an_operator_for_a_device_that_is_not_here_is_constructed_and_refuses_when_called():
    class Cuda(Rows):
        devices = {"cuda"}

    op = fresh(RowScaleFwdOp, "CudaFwdOp", kernel_types={"cuda": Cuda})()
    with pytest.raises(OpNotAvailableError, match="runs on cuda, not on cpu"):
        op(X, SCALE)


@pytest.mark.requirement("C47", "C58")
def test_the_record_of_a_call():
    op = RowScaleFwdOp(2.0)
    with pytest.raises(RuntimeError, match="no call has completed"):
        op.last_call  # noqa: B018
    op(X, SCALE)
    record = op.last_call
    assert isinstance(record, opyard.SignatureCall)
    assert (record.operator, record.device, record.params) == ("RowScaleFwdOp", X.device, {"factor": 2.0})
    assert {name: record.indices[name] for name in ("M", "N")} == {"M": 4, "N": 8}
    assert record.tensors == {name: (shape, "float32") for name, shape in
                              (("x", (4, 8)), ("scale", (8,)), ("output", (4, 8)))}  # fmt: skip
    assert record.stages == {}


@pytest.mark.requirement("C54")
@pytest.mark.parametrize("inputs", [(X.long(), SCALE), (X, SCALE.double()), (X, SCALE[:3]), (X[0], SCALE)])
def test_a_call_against_the_declaration_raises_before_anything_is_selected(inputs):
    op = RowScaleFwdOp()
    runs = Rows.runs
    with pytest.raises(SignatureError):
        op(*inputs)
    assert (Rows.runs, op.serving_target, op._entries_by_call) == (runs, None, {})


@pytest.mark.requirement("C95")
def test_kernel_for_takes_its_steps_in_order(monkeypatch):
    from opyard import _kernel_lookup

    steps = []

    def spy(name):
        original = getattr(_kernel_lookup, name)
        monkeypatch.setattr(_kernel_lookup, name, lambda *a, **k: (steps.append(name), original(*a, **k))[1])

    for name in ("with_device", "typed", "check_spec", "with_facts", "build_once"):
        spy(name)
    op = fresh(RowScaleFwdOp, "StepsFwdOp")()
    call = RowScaleCall(X.device, 8, X.dtype)
    with pytest.raises(OpNotAvailableError):
        op.kernel_for("shift", call)
    assert steps == []
    op.kernel_for("scale", call)
    assert steps == ["with_device", "typed", "check_spec", "with_facts", "typed", "build_once"]
    steps.clear()
    op.kernel_for("scale", call)
    assert steps == ["with_device", "typed"]


@pytest.mark.requirement("C97", "C104")
def test_a_spec_without_a_device_gets_the_accelerators_current_one(monkeypatch):
    current = [0]
    entered = []

    class DeviceIndex:
        def __init__(self, index):
            self.index = index

        def __enter__(self):
            entered.append(self.index)

        def __exit__(self, *_):
            entered.append("left")

    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("meta"))
    monkeypatch.setattr(torch.accelerator, "current_device_index", lambda: current[0])
    monkeypatch.setattr(torch.accelerator, "device_index", DeviceIndex)

    class Meta(Rows):
        devices = {"meta"}

        @classmethod
        def entry_for(cls, call):
            return (call.n, call.device), lambda: (entered.append("built"), cls(call.n, call.dtype))[1]

    op = fresh(RowScaleFwdOp, "MetaFwdOp", kernel_types={"meta": Meta})()
    entries = []
    for current[0] in (0, 1, 0):
        entries.append(op.kernel_for("scale", RowScaleCall(None, 8, X.dtype)))
    assert entries[0] is entries[2] is not entries[1]
    assert entered == [0, "built", "left", 1, "built", "left"]
    entered.clear()
    op.kernel_for("scale", RowScaleCall(torch.device("meta", 3), 9, X.dtype))
    assert entered == [3, "built", "left"]


# One for each operator with a boundary: its tensors for a cold compile of a new instance.
@pytest.mark.requirement("C42", "C43", "C44")
def test_operators_have_a_boundary_exactly_where_the_declaration_says_so():
    for name in opyard._C.operators():
        facts = opyard._C.describe(name)
        assert bool(facts["compile_op_names"]) == (bool(facts["inputs"]) and not facts["composite"]), name


def test_stats_count_what_caches_keep():
    op = fresh(RowScaleFwdOp, "CountedFwdOp")()
    for rows in range(1, 5):
        op(torch.randn(rows, 8), SCALE)
    rows = {row["cache"]: row for row in opyard.stats(caches=True) if row["operator"] == "CountedFwdOp"}
    assert (rows["plans"]["kept"], rows["plans"]["evicted"]) == (4, 0)
    assert rows["plans"]["bound"] == 1024
    assert all("cache" not in row for row in opyard.stats())


def test_explain_tells_who_else_serves_a_call():
    assert "its body runs" in opyard.explain(RowScaleFwdOp(), X, SCALE)
    registration = opyard.register_kernel_builder("RowScaleFwdOp", "probe", lambda *s, **p: lambda *t: t[0] * 1)
    assert "target probe serves" in opyard.explain(RowScaleFwdOp(target="probe"), X, SCALE)
    registration.remove()
    with pytest.raises(OpNotAvailableError, match="no target"):
        opyard.explain(RowScaleFwdOp(target="probe"), X, SCALE)
