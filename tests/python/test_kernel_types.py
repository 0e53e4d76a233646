"""Implementations in Python of declared operators, and what a user decides over selection."""

from __future__ import annotations

import threading

import pytest
import torch
import torch.nn.functional as F

import opyard
from opyard.errors import AmbiguousDispatchError, ContractError, OpNotAvailableError
from opyard.interfaces import RMSNorm
from opyard.ops import RMSNormFwdOp, SiLUAndMulFwdOp
from small_operators import RowScaleFwdOp

X, W = torch.randn(4, 8), torch.randn(8)


class Plain(opyard.Kernel, RMSNorm):
    devices = {"cpu"}
    preferred_over = frozenset(opyard.ops._C.implementation_keys("RMSNormFwdOp")) - {"general"}
    made: list = []
    runs = 0
    off = 0.0

    def __init__(self, shape, eps):
        self.shape, self.eps = shape, eps
        type(self).made.append(shape)

    @classmethod
    def refusal(cls, call):
        if call.x.dtype is not torch.float32:
            return f"x is {call.x.dtype}"
        return None if call.weight is not None else "needs a weight"

    @classmethod
    def entry_for(cls, call):
        shape = tuple(call.normalized_shape)
        return (shape, call.eps), lambda: cls(shape, call.eps)

    def forward(self, x, weight):
        type(self).runs += 1
        return F.rms_norm(x, self.shape, weight, self.eps) + self.off


@pytest.fixture
def plain():
    Plain.made, Plain.runs, Plain.off = [], 0, 0.0
    registration = opyard.register_kernel_type("RMSNormFwdOp", "plain", Plain)
    yield Plain
    registration.remove()
    assert "plain" not in opyard.explain(norm(), X, W)


def norm(eps=1e-6, size=8):
    return RMSNormFwdOp(normalized_shape=[size], eps=eps)


@pytest.mark.requirement("C60", "C94", "C100", "C103")
def test_a_python_implementation_competes_with_the_compiled_ones(plain):
    op = norm()
    assert plain.made == []
    want = F.rms_norm(X, (8,), W, 1e-6)
    torch.testing.assert_close(op(X, W), want)
    assert op.last_call.implementation == "plain"
    op(torch.randn(7, 8), W)
    assert (plain.made, plain.runs) == ([(8,)], 2)
    for x, weight in ((X, None), (X.double(), W.double())):
        op(x, weight)
        assert op.last_call.implementation != "plain"
    assert "plain: refuses: needs a weight" in opyard.explain(op, X)
    assert "plain: chosen" in opyard.explain(op, X, W)
    assert op.last_call.target == "builtin"


@pytest.mark.requirement("C9")
def test_instances_constructed_before_keep_their_table():
    before = norm(eps=7e-7)
    registration = opyard.register_kernel_type("RMSNormFwdOp", "plain", Plain)
    before(X, W)
    after = norm(eps=7e-7)
    after(X, W)
    registration.remove()
    after(torch.randn(2, 8), W)
    assert (before.last_call.implementation != "plain", after.last_call.implementation) == (True, "plain")


@pytest.mark.requirement("C82", "C83")
def test_contracts_of_a_declared_operators_implementation():
    class NoKernel(RMSNorm):
        def forward(self, x, weight): ...

    class Other(opyard.Kernel):
        def forward(self, x, weight): ...

    class Short(Plain):
        def forward(self, x): ...

    for cls, text in ((NoKernel, "opyard.Kernel"), (Other, "no interface"), (Short, "forward"), (5, "opyard.Kernel")):
        with pytest.raises(ContractError, match=text):
            opyard.register_kernel_type("RMSNormFwdOp", "odd", cls)
    twice = [opyard.register_kernel_type("RMSNormFwdOp", "plain", Plain) for _ in range(2)]
    with pytest.raises(ContractError, match="twice"):
        norm()
    for registration in twice:
        registration.remove()
    tied = opyard.register_kernel_type("RMSNormFwdOp", "tied", type("Tied", (Plain,), {"preferred_over": set()}))
    with pytest.raises(AmbiguousDispatchError, match="tied"):
        norm(eps=3e-7)(X, W)
    tied.remove()


@pytest.mark.requirement("C52", "C112")
def test_its_errors_reach_the_caller_and_its_result_is_checked(plain):
    op = norm(eps=2e-7)

    class Broken(Plain):
        preferred_over = {"plain", *Plain.preferred_over}

        def forward(self, x, weight):
            if x.shape[0] == 1:
                raise ZeroDivisionError("mine")
            return x.new_zeros(1)

    registration = opyard.register_kernel_type("RMSNormFwdOp", "broken", Broken)
    op = norm(eps=2e-7)
    registration.remove()
    with pytest.raises(ZeroDivisionError, match="mine"):
        op(X[:1], W)
    with pytest.raises(ContractError, match="broken"):
        op(X, W)
    assert op.serving_target is None


@pytest.mark.requirement("C29", "C42")
def test_it_serves_a_compiled_graph(plain):
    op = norm(eps=4e-7)
    compiled = torch.compile(lambda x, w: op(x, w), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(X, W), F.rms_norm(X, (8,), W, 4e-7))
    assert plain.runs == 1


def test_an_implementation_of_a_composite_would_never_be_asked_for():
    with pytest.raises(ValueError, match="never be asked for"):
        opyard.register_kernel_type("FusedMoEFwdOp", "mine", Plain)


def test_python_threads_share_a_python_kernel(plain):
    op = norm(eps=5e-7)
    wrong = []

    def work(rows):
        x = torch.randn(rows, 8)
        for _ in range(100):
            if not torch.allclose(op(x, W), F.rms_norm(x, (8,), W, 5e-7), atol=1e-6):
                wrong.append(rows)

    threads = [threading.Thread(target=work, args=(rows,)) for rows in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert plain.made == [(8,)]


def served_by(op, *inputs):
    op(*inputs)
    return op.last_call.implementation


def test_use_and_without_hold_for_their_block_and_nest(plain):
    op = norm(eps=6e-7)
    general = opyard._C.general_keys("RMSNormFwdOp")[0]
    assert served_by(op, X, W) == "plain"
    with opyard.use(op="RMSNormFwdOp", implementation=general):
        assert served_by(op, X, W) == general
        assert "opyard.use asks for" in opyard.explain(op, X, W)
        with opyard.without(implementation=general), pytest.raises(OpNotAvailableError, match="opyard.without"):
            op(X, W)
        assert served_by(op, X, W) == general
    with opyard.without(op="RMSNormFwdOp", implementation="plain"):
        assert served_by(op, X, W) != "plain"
    with opyard.use(op="RMSNormFwdOp", implementation="plain"), pytest.raises(OpNotAvailableError, match="weight"):
        op(X)
    assert served_by(op, X, W) == "plain"


def test_a_threads_choice_is_its_own_and_the_processs_is_everyones(plain):
    op = norm(eps=8e-7)
    seen = []

    def other():
        seen.append(served_by(op, X, W))

    def run():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(60)

    with opyard.without(implementation="plain"):
        run()
    with opyard.without(implementation="plain", scope="process"):
        run()
    run()
    assert [key == "plain" for key in seen] == [True, False, True]


def test_choices_end_in_any_order(plain):
    op = norm(eps=9e-7)
    first = opyard.without(implementation="plain", scope="process")
    other = opyard.use(op="RMSNormFwdOp", implementation=opyard._C.general_keys("RMSNormFwdOp")[0], scope="process")
    first.end()
    assert served_by(op, X, W) != "plain"
    other.end()
    other.end()
    assert served_by(op, X, W) == "plain"
    assert opyard._C.choices_number() == 0


def test_choices_reach_operators_with_bodies():
    op = RowScaleFwdOp(11.0)
    x, scale = torch.randn(2, 64), torch.randn(64)
    call_keys = []
    for choice in (None, "rows", "wide"):
        with opyard.use(op="RowScaleFwdOp", implementation=choice) if choice else opyard.verify():
            op(x, scale)
            call_keys.append(sorted(cls.__name__ for cls, _ in op.built_entries()["scale"]))
    assert call_keys == [["Wide"], ["Rows", "Wide"], ["Rows", "Wide"]]


def test_a_choice_of_something_unknown_is_refused():
    with pytest.raises(ValueError, match="no implementation 'fastest'"):
        opyard.use(op="RMSNormFwdOp", implementation="fastest")
    with pytest.raises(ValueError, match="no operator has"):
        opyard.without(implementation="fastest")
    with pytest.raises(OpNotAvailableError):
        opyard.use(op="RMSNorm", implementation="general")
    with pytest.raises(TypeError, match="lock="):
        opyard.use(op="RMSNormFwdOp")
    with pytest.raises(ValueError, match="scope"):
        opyard.without(implementation=opyard._C.general_keys("RMSNormFwdOp")[0], scope="module")
    assert opyard._C.choices_number() == 0


def test_verify_reports_an_implementation_that_is_wrong(plain):
    op = norm(eps=1.5e-6)
    with opyard.verify() as found:
        op(X, W)
    assert (found.compared, found.differences) == (1, [])
    plain.off = 0.5
    with opyard.verify() as found:
        got = op(X, W)
    torch.testing.assert_close(got, F.rms_norm(X, (8,), W, 1.5e-6) + 0.5)  # the selected one's result counts
    (difference,) = found.differences
    assert (difference.operator, difference.implementation, difference.output) == ("RMSNormFwdOp", "plain", "output")
    assert difference.largest == pytest.approx(0.5, abs=1e-3)
    with pytest.raises(AssertionError, match="plain"):
        found.raise_for_differences()
    plain.off = float("nan")
    with opyard.verify() as found:
        op(X, W)
    assert found.differences[0].largest == float("inf")


def test_bisect_finds_the_implementation_at_fault(plain):
    op, other = norm(eps=2.5e-6), SiLUAndMulFwdOp()

    def check():
        other(torch.randn(4, 8))
        return torch.allclose(op(X, W), F.rms_norm(X, (8,), W, 2.5e-6), atol=1e-4)

    assert opyard.bisect(check) is None
    plain.off = 0.5
    assert opyard.bisect(check) == "RMSNormFwdOp.plain"
    with pytest.raises(RuntimeError, match="none of them"):
        opyard.bisect(lambda: check() and False)
    assert opyard._C.choices_number() == 0


def test_a_selection_is_written_and_reproduced(plain, tmp_path):
    op = norm(eps=3.5e-6)
    with opyard.without(implementation="plain"), opyard.lock(tmp_path / "lock"):
        first = served_by(op, X, W)
    assert first != "plain"
    with opyard.use(lock=tmp_path / "lock"):
        assert served_by(op, X, W) == first
        assert served_by(op, torch.randn(5, 8), W) == "plain"  # a call that the file does not list
    lines = (tmp_path / "lock").read_text()
    (tmp_path / "lock").write_text(lines.replace(first, "gone"))
    with opyard.use(lock=tmp_path / "lock"), pytest.raises(OpNotAvailableError, match="lock asks for gone"):
        op(X, W)
    (tmp_path / "lock").write_text("{}\n")
    with pytest.raises(ValueError, match="lock:1"):
        opyard.use(lock=tmp_path / "lock")
