"""Operators that hold other operators: stages, failures, traces."""

from __future__ import annotations

import contextlib

import pytest
import torch

import opyard
from opyard.errors import ContractError
from small_operators import Rows, RowScaleFwdOp, TwoScalesFwdOp, fresh

X, SCALE, BIAS = torch.randn(4, 8), torch.randn(8), torch.randn(8)


@pytest.mark.requirement("C16", "C80")
def test_sub_operators_are_held_by_stage_and_the_table_is_empty():
    op = TwoScalesFwdOp(2.0)
    first, second = op.held_delegates()
    assert op._installed_kernel_types == {}
    assert first._installed_kernel_types
    assert op.delegate_for("first", None, factor=2.0) is first
    assert op._delegate_stages == {id(first): ("first", None), id(second): ("second", None)}


@pytest.mark.requirement("C53")
def test_the_stages_have_the_sub_operators_calls():
    op = TwoScalesFwdOp(2.0)
    torch.testing.assert_close(op(X, SCALE, BIAS), X * SCALE * SCALE * 4 + BIAS)
    first, second = op.held_delegates()
    assert op.last_call.stages == {"first": (first.last_call,), "second": (second.last_call,)}
    assert list(op.last_call.stages) == ["first", "second"]
    assert op.last_call.stages["second"][0].tensors["bias"][0] == (8,)
    assert "bias" not in op.last_call.stages["first"][0].tensors


@pytest.mark.requirement("C53")
def test_records_nest():
    spec = {**TwoScalesFwdOp.spec, "composition": {"kind": "composite", "stages": {"both": {"op": "TwoScalesFwdOp"}}}}

    class OuterFwdOp(opyard.Op):
        delegate_types = {"both": TwoScalesFwdOp}

        def __init__(self, factor=1.0):
            self.factor = factor
            super().__init__()
            self.delegate_for("both", None, factor=factor)

        def forward(self, x, scale, bias=None):
            (both,) = self.held_delegates()
            return both(both(x, scale), scale)

    OuterFwdOp = type("OuterFwdOp", (OuterFwdOp,), {"spec": spec})
    op = OuterFwdOp(1.0)
    op(X, SCALE)
    calls = op.last_call.stages["both"]
    assert len(calls) == 2
    assert all(len(call.stages["first"]) == 1 for call in calls)
    kernels = list(op.iter_kernels())
    assert len(kernels) == len({id(k) for k in kernels}) > 0


@pytest.mark.requirement("C57")
def test_a_sub_operator_that_is_not_held_is_an_error():
    stray = RowScaleFwdOp()
    cls = fresh(TwoScalesFwdOp, "StrayFwdOp", forward=lambda self, x, scale, bias=None: stray(x, scale))
    op = cls()
    with pytest.raises(RuntimeError, match=f"StrayFwdOp.*RowScaleFwdOp.*{stray._instance_key}"):
        op(X, SCALE)
    assert op.serving_target is None


@pytest.mark.requirement("C16", "C28")
def test_a_delegate_that_does_not_fit_is_refused():
    op = TwoScalesFwdOp()
    first, _ = op.held_delegates()
    with pytest.raises(KeyError, match="third.*first, second"):
        op.delegate_for("third", None)
    with pytest.raises(ValueError, match="holds another"):
        op.delegate_for("first", None, RowScaleFwdOp())
    with pytest.raises(ValueError, match="one operator under"):
        op.delegate_for("second", "again", first)


@pytest.mark.requirement("C23", "C59")
def test_an_injected_sub_operator_keeps_its_own_target_and_its_entries():
    registration = opyard.register_kernel_builder("RowScaleFwdOp", "probe", lambda *s, **p: lambda x, w, b: x * w)
    try:
        given = RowScaleFwdOp(5.0, target=opyard.BUILTIN)
        op = TwoScalesFwdOp(1.0, second=given, target="probe")
        assert op.held_delegates()[1] is given
        torch.testing.assert_close(op(X, SCALE), X * SCALE * SCALE * 5)
        assert [sub.serving_target for sub in op.held_delegates()] == ["probe", opyard.BUILTIN]
    finally:
        registration.remove()


@pytest.mark.requirement("C35", "C36")
def test_a_traced_composite_leaves_its_sub_operators_as_nodes():
    seen = []

    def backend(graph, example_inputs):
        seen.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return graph.forward

    op = TwoScalesFwdOp(2.0)
    compiled = torch.compile(lambda x, s: op(x, s), fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(X, SCALE), X * SCALE * SCALE * 4)
    assert [name for name in seen if "row_scale" in name] == ["opyard.probe_row_scale_fwd.default"] * 2
    with pytest.raises(RuntimeError, match="no call"):
        op.last_call  # noqa: B018


@pytest.mark.requirement("C37")
def test_a_composite_on_meta_tensors_selects_no_target():
    op = TwoScalesFwdOp()
    assert op(X.to("meta"), SCALE.to("meta")).is_meta
    assert [o.serving_target for o in (op, *op.held_delegates())] == [None, None, None]


@pytest.mark.requirement("C113", "C114", "C115")
def test_a_failing_first_call_unbinds_held_sub_operators_even_ones_bound_before():
    op = TwoScalesFwdOp(7.0)
    first, second = op.held_delegates()
    second(X, SCALE)
    own = second.last_call
    op.fails = True
    with pytest.raises(ValueError, match="composite fails"):
        op(X, SCALE)
    assert [o.serving_target for o in (op, first, second)] == [None, None, None]
    assert [o._entries_by_call for o in (first, second)] == [{}, {}]
    assert second.last_call.tensors == own.tensors  # records of completed calls stay
    assert op.held_delegates() == [first, second]
    op.fails = False
    op(X, SCALE)
    assert [o.serving_target for o in (op, first, second)] == [opyard.BUILTIN] * 3


@pytest.mark.requirement("C116")
def test_a_failing_later_call_keeps_targets_entries_and_the_record():
    op = TwoScalesFwdOp(8.0)
    op(X, SCALE)
    before = op.last_call
    op.fails = True
    with pytest.raises(ValueError, match="composite fails"):
        op(torch.randn(2, 5), torch.randn(5))
    assert op.last_call == before
    assert op.serving_target is opyard.BUILTIN
    assert [len(sub.built_entries()["scale"]) for sub in op.held_delegates()] == [2, 2]


@pytest.mark.requirement("C122")
def test_a_body_that_catches_its_sub_operators_failure_goes_on():
    def forward(self, x, scale, bias=None):
        first, second = self.held_delegates()
        with contextlib.suppress(ValueError):
            first(x, scale[:3])
        return second(x, scale)

    op = fresh(TwoScalesFwdOp, "CatchFwdOp", forward=forward)()
    torch.testing.assert_close(op(X, SCALE), X * SCALE)
    assert [len(calls) for calls in op.last_call.stages.values()] == [0, 1]
    assert op.held_delegates()[0].serving_target is None


@pytest.fixture
def broken():
    yield lambda error: setattr(Rows, "broken", error)
    Rows.broken = None


@pytest.mark.requirement("C112", "C113", "C119")
def test_a_failing_first_call_leaves_nothing(broken):
    op = fresh(RowScaleFwdOp, "FailsFwdOp")(9.0)
    broken(ZeroDivisionError("kernel"))
    with pytest.raises(ZeroDivisionError, match="kernel"):
        op(X, SCALE)
    assert op.serving_target is None
    assert (op._entries_by_call, op._built_entries) == ({}, {})
    builds = Rows.builds
    broken(None)
    op(X, SCALE)
    assert Rows.builds == builds + 1


@pytest.mark.requirement("C118", "C120")
def test_an_interrupt_undoes_nothing_and_the_next_call_starts_clean(broken):
    op = TwoScalesFwdOp(10.0)
    broken(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        op(X, SCALE)
    first, second = op.held_delegates()
    assert op.serving_target is opyard.BUILTIN
    assert first.serving_target is opyard.BUILTIN
    assert len(first._entries_by_call) == 1
    with pytest.raises(RuntimeError, match="no call"):
        op.last_call  # noqa: B018
    broken(None)
    second(X, SCALE)  # reports to nobody
    op(X, SCALE)
    assert [len(calls) for calls in op.last_call.stages.values()] == [1, 1]
    broken(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        op(X, SCALE)
    assert op.serving_target is opyard.BUILTIN


@pytest.mark.requirement("C117")
def test_what_was_written_stays_written():
    def forward(self, x, scale, bias=None):
        x.add_(1)
        raise ValueError("late")

    x = torch.zeros(4, 8)
    with pytest.raises(ValueError, match="late"):
        fresh(RowScaleFwdOp, "WritesFwdOp", forward=forward)()(x, SCALE)
    assert torch.equal(x, torch.ones(4, 8))


@pytest.mark.requirement("C52")
@pytest.mark.parametrize(
    ("result", "text"),
    [(torch.zeros(3, 8), r"\[3, 8\]"), (torch.zeros(4, 8).double(), "float64"), (7, "int"), ((X, X), "2")],
)
def test_a_bodys_result_is_checked(result, text):
    name = f"Result{abs(hash(text))}FwdOp"
    op = fresh(RowScaleFwdOp, name, forward=lambda self, x, scale, bias=None: result)()
    with pytest.raises(ContractError, match=text):
        op(X, SCALE)
    assert op.serving_target is None


@pytest.mark.requirement("C121")
def test_a_target_on_which_another_threads_call_completed_stays():
    import threading

    inside, go_on = threading.Event(), threading.Event()

    def forward(self, x, scale, bias=None):
        if x.shape[0] == 1:
            inside.set()
            assert go_on.wait(60)
            raise ValueError("late")
        return x * scale

    op = fresh(RowScaleFwdOp, "LateFwdOp", forward=forward)()
    errors = []

    def fail():
        try:
            op(X[:1], SCALE)
        except ValueError as error:
            errors.append(str(error))

    thread = threading.Thread(target=fail)
    thread.start()
    assert inside.wait(60)
    op(X, SCALE)
    go_on.set()
    thread.join(60)
    assert errors == ["late"]
    assert op.serving_target is opyard.BUILTIN


@pytest.mark.requirement("C46")
def test_calls_of_other_threads_are_no_stages():
    import threading

    other = RowScaleFwdOp()

    def forward(self, x, scale, bias=None):
        thread = threading.Thread(target=other, args=(x, scale))
        thread.start()
        thread.join(60)
        return self.held_delegates()[1](self.held_delegates()[0](x, scale), scale)

    op = fresh(TwoScalesFwdOp, "ThreadsFwdOp", forward=forward)()
    op(X, SCALE)
    assert [len(calls) for calls in op.last_call.stages.values()] == [1, 1]
