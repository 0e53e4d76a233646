"""Operators with a body in Python: construction, contracts, selection and entries."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import pytest
import torch

import opyard
from opyard.errors import AmbiguousDispatchError, ContractError, OpNotAvailableError, SignatureError
from small_operators import ROW_SCALE, Rows, RowScaleCall, RowScaleFwdOp, RowScaleInterface, Wide, fresh, row_scale

X, SCALE, BIAS = torch.randn(4, 8), torch.randn(8), torch.randn(8)


def table(**types):
    """An operator class with these kernel types and the interface of RowScaleFwdOp."""
    return fresh(RowScaleFwdOp, f"Probe{next(_numbers)}FwdOp", kernel_types=types)


_numbers = iter(range(1000000))


def kernel(*bases, **members):
    return type("Probe", bases or (Rows,), {"general": False, "builds": 0, "runs": 0, **members})


@pytest.mark.requirement("C1", "C19", "C20")
def test_the_smallest_subclass_runs_on_any_shape_and_dtype():
    op = RowScaleFwdOp(2.0)
    for dtype in (torch.float32, torch.float64):
        for rows in (4, 5):
            x, scale, bias = (torch.randn(*shape, dtype=dtype) for shape in ((rows, 8), (8,), (8,)))
            torch.testing.assert_close(op(x, scale), row_scale(x, scale, None, 2.0))
            torch.testing.assert_close(op(x, scale, bias=bias), row_scale(x, scale, bias, 2.0))
            assert op.last_call.tensors["output"] == ((rows, 8), str(dtype).removeprefix("torch."))


@pytest.mark.requirement("C3", "C7", "C28")
def test_parameters_are_checked_as_construction_finds_them():
    with pytest.raises(ValueError, match="factor must not be negative"):
        RowScaleFwdOp(-1.0)
    with pytest.raises(TypeError, match="factor"):
        RowScaleFwdOp("2")
    op = RowScaleFwdOp(1.0)
    op.factor = -1.0  # no longer checked
    torch.testing.assert_close(op(X, SCALE), -X * SCALE)


@pytest.mark.requirement("C17", "C18")
def test_a_constructor_takes_no_other_argument():
    for argument in ("tune", "device", "shape"):
        with pytest.raises(TypeError, match=argument):
            RowScaleFwdOp(**{argument: True})


@pytest.mark.requirement("C4", "C5", "C12", "C22", "C24")
def test_construction_takes_its_steps_in_order_and_builds_nothing(monkeypatch):
    from opyard import _op

    order = []
    monkeypatch.setattr(_op, "load_backends", lambda: order.append("backends"))
    cls = table(rows=Rows)

    class Probe(cls):
        def _construct(self, *args):
            order.append("parameters")
            super()._construct(*args)

        def _install_kernel_types(self):
            order.append("table")
            assert "_delegates" not in vars(self)
            with pytest.raises(TypeError):
                opyard._C.construction_indices(self)
            return super()._install_kernel_types()

        def _declare_stages(self):
            assert self._instance_key
            order.append("state")
            super()._declare_stages()

    builds = Rows.builds
    op = Probe()
    assert order == ["backends", "parameters", "table", "state"]
    assert Rows.builds == builds
    assert (op._entries_by_call, op._built_entries, op._delegates, op._delegate_stages) == ({}, {}, {}, {})
    assert op.dtype is None
    with pytest.raises(SignatureError):
        Probe(-1.0)
    assert order[4:] == ["backends", "parameters"]


@pytest.mark.requirement("C11", "C10")
def test_every_instance_has_a_key_that_is_never_given_again():
    assert len({RowScaleFwdOp()._instance_key for _ in range(10000)}) == 10000


@pytest.mark.requirement("C80", "C81", "C9", "C60")
def test_the_table_merges_the_classs_types_with_the_registered_ones():
    cls = table(rows=Rows)
    before = cls()
    registration = opyard.register_kernel_type(cls.__name__, "wide", Wide)
    after = cls()
    assert before._installed_kernel_types == {"rows": Rows}
    assert after._installed_kernel_types == {"rows": Rows, "wide": Wide}
    call = RowScaleCall(X.device, 64, X.dtype)
    assert (before.key_for("scale", call), after.key_for("scale", call)) == ("rows", "wide")
    registration.remove()
    assert cls()._installed_kernel_types == {"rows": Rows}


@pytest.mark.requirement("C81")
def test_a_key_given_twice_is_an_error():
    cls = table(rows=Rows)
    registration = opyard.register_kernel_type(cls.__name__, "rows", Wide)
    with pytest.raises(ContractError, match="twice"):
        cls()
    with pytest.raises(ValueError, match="already"):
        opyard.register_kernel_type(cls.__name__, "rows", Wide)
    registration.remove()
    cls()


@pytest.mark.requirement("C94")
def test_registering_for_an_unknown_operator_or_one_without_interfaces_is_refused():
    with pytest.raises(OpNotAvailableError, match="RowScaleFwdOp"):
        opyard.register_kernel_type("RowScaleFwdOpp", "rows", Rows)
    cls = fresh(RowScaleFwdOp, "BareFwdOp", kernel_types={}, interfaces={})
    with pytest.raises(ValueError, match="no kernel interfaces"):
        opyard.register_kernel_type(cls.__name__, "rows", Rows)


class NoKernel(RowScaleInterface):
    def forward(self, x, scale, factor, *, bias): ...


class NoInterface(opyard.Kernel):
    def forward(self, x, scale, factor, *, bias): ...


CONTRACTS = [
    ("C83", TypeError, "inherits opyard.Kernel", {"probe": NoKernel}),
    ("C86", ValueError, "belongs to no interface", {"probe": NoInterface}),
    ("C84", TypeError, "entry_for is no classmethod", {"probe": kernel(entry_for=lambda call: None)}),
    ("C84", TypeError, "entry_for is no classmethod", {"probe": kernel(entry_for=staticmethod(lambda call: None))}),
    ("C85", TypeError, "forward does not take", {"probe": kernel(forward=lambda self, x, *, bias: None)}),
    ("C85", TypeError, "forward does not take", {"probe": kernel(forward=lambda self, x, scale, factor: None)}),
    ("C85", TypeError, "forward", {"probe": kernel(forward=lambda self, x, scale, factor, more, *, bias: None)}),
    ("C87", ValueError, "several general", {"rows": Rows, "probe": kernel(general=True)}),
    ("C88", ValueError, "is the general one", {"probe": kernel(general=True, preferred_over={"w"}), "w": Wide}),
    ("C88", ValueError, "names 'nobody'", {"probe": kernel(preferred_over={"nobody"})}),
    ("C88", ValueError, "names 'probe'", {"probe": kernel(preferred_over={"probe"})}),
    ("C89", ValueError, "cycle", {"a": kernel(preferred_over={"b"}), "b": kernel(preferred_over={"a"})}),
    (
        "C89",
        ValueError,
        "cycle",
        {key: kernel(preferred_over={other}) for key, other in (("a", "b"), ("b", "c"), ("c", "a"))},
    ),
    ("C90", TypeError, "exactly one device type", {"p": kernel(devices={"cpu", "cuda"}, supported_archs=[1])}),
]


@pytest.mark.requirement("C82", "C83", "C84", "C85", "C86", "C87", "C88", "C89", "C90")
@pytest.mark.parametrize(("_id", "error", "text", "types"), CONTRACTS)
def test_a_broken_contract_raises_at_construction_and_names_key_and_class(_id, error, text, types):
    with pytest.raises(error, match=text) as raised:
        table(**types)()
    assert isinstance(raised.value, ContractError)


@pytest.mark.requirement("C85")
def test_extra_arguments_with_defaults_and_other_names_fulfil_the_contract():
    table(probe=kernel(forward=lambda self, a, b, c, d=1, *, bias, more=2: None))()


@pytest.mark.requirement("C91", "C93", "C98", "C103", "C106")
def test_an_entry_is_built_once_for_each_identity_and_found_by_an_equal_call():
    counts = kernel(general=True)
    op = table(counts=counts)()
    assert counts.builds == 0
    call = RowScaleCall(X.device, 8, X.dtype)
    entry = op.kernel_for("scale", call)
    assert isinstance(entry, counts)
    assert op.kernel_for("scale", RowScaleCall(X.device, 8, X.dtype)) is entry
    assert op.kernel_for("scale", RowScaleCall(X.device, 8, X.dtype, has_bias=True)) is entry  # the same identity
    assert op.kernel_for("scale", RowScaleCall(X.device, 9, X.dtype)) is not entry
    assert counts.builds == 2
    assert list(op.iter_kernels()) == [entry, op.kernel_for("scale", RowScaleCall(X.device, 9, X.dtype))]
    assert len(op._entries_by_call) == 3
    assert [len(slot) for slot in op.built_entries().values()] == [2]


@pytest.mark.requirement("C96")
def test_an_unknown_interface_is_not_available():
    for ask in (RowScaleFwdOp().kernel_for, RowScaleFwdOp().key_for):
        with pytest.raises(OpNotAvailableError, match="no interface 'shift'.*scale"):
            ask("shift", RowScaleCall(X.device, 8, X.dtype))


@dataclass(frozen=True)
class OtherCall(RowScaleCall):
    pass


@pytest.mark.requirement("C99", "C108", "C109")
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (OtherCall(X.device, 8, X.dtype), "expected RowScaleCall, got OtherCall"),
        ((X.device, 8), "got tuple"),
        (RowScaleCall(X.device, [8], X.dtype), "'n'.*list"),
        (RowScaleCall(X.device, X, X.dtype), "'n'.*Tensor"),
        (RowScaleCall(X.device, (8, {}), X.dtype), "'n'.*dict"),
        (RowScaleCall(X.device, 8, X.dtype, arch=2), "'arch' states a fact of the device"),
    ],
)
def test_a_call_spec_is_checked_on_a_miss(call, text):
    with pytest.raises(TypeError, match=text):
        RowScaleFwdOp().kernel_for("scale", call)


@pytest.mark.requirement("C99")
def test_fields_of_another_type_or_bits_are_another_call():
    counts = kernel(general=True, entry_for=classmethod(lambda cls, call: (call, lambda: cls(call.n, call.dtype))))
    op = table(counts=counts)()
    for n in (1, 1.0, True, 0.0, -0.0, float("nan"), float("nan")):
        op.kernel_for("scale", RowScaleCall(X.device, n, X.dtype))
    assert counts.builds == 6  # the two NaNs have equal bits


@pytest.mark.requirement("C55", "C101")
def test_selection_is_availability_then_refusal_then_precedence():
    far = kernel(devices={"cuda"})
    old = kernel(supported_archs=[99])
    shy = kernel(refusal=classmethod(lambda cls, call: "is shy"))
    small = kernel(refusal=classmethod(lambda cls, call: None if call.n < 10 else f"n = {call.n}"))
    first = kernel(preferred_over={"middle"}, refusal=classmethod(lambda cls, call: None if call.n == 3 else "not 3"))
    middle = kernel(preferred_over={"small"}, refusal=classmethod(lambda cls, call: "never"))
    types = {"far": far, "old": old, "shy": shy, "small": small, "first": first, "middle": middle, "rows": Rows}
    for order in (types, dict(reversed(types.items()))):
        op = table(**order)()
        keys = [op.key_for("scale", RowScaleCall(X.device, n, X.dtype)) for n in (3, 4, 20)]
        assert keys == ["first", "small", "rows"]
    assert op.key_for("scale", RowScaleCall(torch.device("cuda", 0), 3, X.dtype)) == "far"
    del types["rows"]
    with pytest.raises(OpNotAvailableError) as raised:
        table(**types)().kernel_for("scale", RowScaleCall(X.device, 20, X.dtype))
    for reason in ("runs on cuda, not on cpu", "needs architecture 99", "is shy", "n = 20", "not 3", "never"):
        assert reason in str(raised.value)


@pytest.mark.requirement("C101")
def test_a_tie_is_an_error_that_names_the_tied():
    op = table(a=kernel(), b=kernel(), rows=Rows)()
    with pytest.raises(AmbiguousDispatchError, match="a, b"):
        op(X, SCALE)


@pytest.mark.requirement("C109", "C100")
def test_key_for_takes_facts_of_a_device_that_is_not_here():
    old, new = kernel(devices={"cuda"}, supported_archs=[80]), kernel(devices={"cuda"}, supported_archs=[90])
    op = table(old=old, new=new)()
    for arch, key in ((80, "old"), (90, "new")):
        assert op.key_for("scale", RowScaleCall(torch.device("cuda", 0), 8, X.dtype, arch=arch)) == key
    assert op.built_entries() == {}


@pytest.mark.requirement("C102")
def test_what_is_wrong_in_an_implementation_is_named():
    def raises(cls, call):
        raise ZeroDivisionError("oops")

    cases = [
        ({"refusal": classmethod(raises)}, ContractError, "oops"),
        ({"refusal": classmethod(lambda cls, call: 5)}, ContractError, "int"),
        ({"entry_for": classmethod(lambda cls, call: 5)}, ContractError, "identity and a builder"),
        ({"entry_for": classmethod(lambda cls, call: ([1], print))}, ContractError, "hashed"),
        ({"entry_for": classmethod(raises)}, ZeroDivisionError, "oops"),
    ]
    for members, error, text in cases:
        with pytest.raises(error, match=text) as raised:
            table(probe=kernel(**members))()(X, SCALE)
        assert error is ZeroDivisionError or "probe" in str(raised.value)


@pytest.mark.requirement("C110")
def test_calls_kept_are_bounded_and_an_evicted_one_finds_its_entry_again():
    counts = kernel(general=True, entry_for=classmethod(lambda cls, call: ("all", lambda: cls(0, call.dtype))))
    op = table(counts=counts)()
    for n in [*range(3000), 0]:
        op.kernel_for("scale", RowScaleCall(X.device, n, X.dtype))
    assert len(op._entries_by_call) == 1024
    assert counts.builds == 1


@pytest.mark.requirement("C111")
def test_threads_that_meet_one_missing_key_build_once_and_share_a_failure():
    started, failing = threading.Barrier(4), [True]

    def entry_for(cls, call):
        def build():
            time.sleep(0.05)
            if failing[0]:
                cls.builds += 1
                raise ZeroDivisionError("no compiler")
            return cls(call.n, call.dtype)

        return call.n, build

    counts = kernel(general=True, entry_for=classmethod(entry_for))
    op = table(counts=counts)()
    outcomes = []

    def ask():
        started.wait()
        try:
            outcomes.append(op.kernel_for("scale", RowScaleCall(X.device, 8, X.dtype)))
        except ZeroDivisionError as error:
            outcomes.append(error)

    for fails in (True, False):
        failing[0], counts.builds = fails, 0
        outcomes.clear()
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(outcomes) == 4
        assert counts.builds == 1
        assert len({id(outcome) for outcome in outcomes}) == 1
        assert len(op.built_entries().get("scale", {})) == (0 if fails else 1)


@pytest.mark.requirement("C107")
def test_a_call_leaves_nothing_on_the_instance():
    op = RowScaleFwdOp()
    before = set(vars(op))
    op(X, SCALE)
    assert set(vars(op)) == before


@pytest.mark.requirement("C33")
def test_arguments_are_bound_by_the_signature():
    op = RowScaleFwdOp()
    for args, kwargs in [((X,), {}), ((X, SCALE), {"other": X}), ((X, SCALE, BIAS, X), {}), ((X, SCALE), {"x": X})]:
        with pytest.raises(TypeError):
            op(*args, **kwargs)


@pytest.mark.requirement("C40", "C41")
def test_a_boundary_is_made_for_tensor_inputs_and_no_composition():
    from small_operators import TwoScalesFwdOp

    assert RowScaleFwdOp.compile_op_names == ("opyard::probe_row_scale_fwd",)
    assert hasattr(torch.ops.opyard, "probe_row_scale_fwd")
    assert TwoScalesFwdOp.compile_op_names == ()
    assert opyard.Op.compile_op_names == ()

    class FamilyBase(opyard.Op):
        def forward(self, x): ...

    assert FamilyBase.compile_op_names == ()
    with pytest.raises(TypeError):
        FamilyBase()(X)


@pytest.mark.requirement("C33")
def test_a_forward_that_differs_from_the_declaration_is_refused():
    with pytest.raises(ContractError, match="forward takes"):
        type("OddFwdOp", (opyard.Op,), {"spec": ROW_SCALE, "forward": lambda self, x: x})


@pytest.mark.requirement("C92", "C105")
def test_tuning_reaches_entries_built_before_and_after():
    tuned = []

    class Tunes(Rows):
        autotune_configs = [{"tile": 1}, {"tile": 2}]

        def forward(self, x, scale, factor, *, bias):
            tuned.append(self.config.get("tile", 0))
            time.sleep(0.002 * (2 - self.config.get("tile", 0)))
            return row_scale(x, scale, bias, factor)

    op = table(tunes=Tunes)()
    op(X, SCALE)
    op.request_tune()
    op(X, SCALE)
    assert set(tuned) == {0, 1, 2}
    assert [k.config for k in op.iter_kernels()] == [{"tile": 2}]
    op(torch.randn(2, 5), torch.randn(5))
    assert [k.config for k in op.iter_kernels()] == [{"tile": 2}, {"tile": 2}]


@dataclass(frozen=True)
class Pair:
    first: Rows
    rest: tuple[Rows, ...] = field(default_factory=tuple)

    def __call__(self, x, scale, factor, *, bias):
        return self.first(x, scale, factor, bias=bias)


@pytest.mark.requirement("C91")
def test_an_entry_may_hold_several_kernels():
    def entry_for(cls, call):
        return call.n, lambda: Pair(cls(1, call.dtype), (cls(2, call.dtype), cls(3, call.dtype)))

    op = table(pair=kernel(general=True, entry_for=classmethod(entry_for)))()
    torch.testing.assert_close(op(X, SCALE), X * SCALE)
    assert [k.n for k in op.iter_kernels()] == [1, 2, 3]


@pytest.mark.requirement("C32", "C42")
def test_a_cold_instance_compiles_whole():
    op = RowScaleFwdOp(3.0)
    compiled = torch.compile(lambda x, s, b: op(x, s, b), fullgraph=True, dynamic=True, backend="aot_eager")
    for rows in (4, 6):
        x = torch.randn(rows, 8)
        torch.testing.assert_close(compiled(x, SCALE, BIAS), row_scale(x, SCALE, BIAS, 3.0))
    assert op.serving_target is opyard.BUILTIN
    assert op.last_call.tensors["x"][0] == (6, 8)


@pytest.mark.requirement("C34", "C37")
def test_a_call_on_meta_tensors_selects_nothing_and_is_recorded():
    runs = Rows.runs
    op = RowScaleFwdOp()
    y = op(X.to("meta"), SCALE.to("meta"))
    assert y.is_meta
    assert y.shape == X.shape
    assert op.last_call.tensors["output"][0] == (4, 8)
    assert op.serving_target is None
    assert Rows.runs == runs
    with pytest.raises(SignatureError):
        op(X.to("meta"), torch.empty(9, device="meta"))


@pytest.mark.requirement("C38", "C39")
def test_what_a_tracer_asks_is_no_call():
    from torch._subclasses.fake_tensor import FakeTensorMode

    op = RowScaleFwdOp()
    runs = Rows.runs
    with FakeTensorMode() as mode:
        y = op(mode.from_tensor(X), mode.from_tensor(SCALE))
    assert y.shape == X.shape
    assert Rows.runs == runs
    with pytest.raises(RuntimeError, match="no call"):
        op.last_call  # noqa: B018


@pytest.mark.requirement("C27")
def test_constructing_in_traced_code_is_an_error_that_names_the_operator():
    with pytest.raises(Exception, match="RowScaleFwdOp"):
        torch.compile(lambda x: RowScaleFwdOp()(x, SCALE), fullgraph=True, backend="eager")(X)
