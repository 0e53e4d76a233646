"""Who serves an instance: the constructor's target, the default, or the one that claims the device."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import opyard
from opyard.errors import AmbiguousDispatchError, ContractError, OpNotAvailableError, SignatureError
from opyard.ops import RMSNormFwdOp
from small_operators import Rows, RowScaleFwdOp, TwoScalesFwdOp

X, W = torch.randn(4, 8), torch.randn(8)
pytestmark = pytest.mark.filterwarnings("error")


class Acme:
    """A target that counts what it is asked, and serves RMSNorm by torch."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.builds: list[tuple[tuple, dict]] = []
        self.calls: list[tuple] = []
        self.devices: list[torch.device] = []
        self.answer = True
        self.result = lambda x, weight: F.rms_norm(x, (8,), weight, 1e-6)
        self.registrations: list[opyard.Registration] = []

    def detects(self) -> Acme:
        self.registrations.append(opyard.register_detector(self.name, self.detect))
        return self

    def builds_for(self, op: str) -> Acme:
        self.registrations.append(opyard.register_kernel_builder(op, self.name, self.build))
        return self

    def detect(self, device):
        self.devices.append(device)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def build(self, *specs, **params):
        self.builds.append((specs, params))

        def kernel(*tensors):
            self.calls.append(tensors)
            return self.result(*tensors)

        return kernel


@pytest.fixture
def acme(request):
    made: list[Acme] = []

    def make(name="acme"):
        made.append(Acme(name))
        return made[-1]

    before = opyard.targets._C.dump_targets()
    yield make
    opyard.set_default_target(None)
    for target in made:
        for registration in target.registrations:
            registration.remove()
    assert opyard.targets._C.dump_targets() == before


def norm(eps=1e-6, **kwargs):
    return RMSNormFwdOp(normalized_shape=[8], eps=eps, **kwargs)


@pytest.mark.requirement("C62", "C67")
def test_where_nobody_claims_the_device_the_in_tree_kernels_serve():
    op = norm()
    assert op.serving_target is None
    op(X, W)
    assert op.serving_target is opyard.BUILTIN


@pytest.mark.requirement("C59", "C61", "C63", "C64")
def test_a_detected_target_serves_with_its_builder(acme):
    target = acme().detects().builds_for("RMSNormFwdOp")
    op = norm(eps=2e-6)
    torch.testing.assert_close(op(X, W), F.rms_norm(X, (8,), W, 1e-6))
    assert op.serving_target == "acme"
    assert op.last_call.target == "acme"
    (specs, params) = target.builds[0]
    assert specs == (
        opyard.TensorSpec(X.device, X.dtype, (4, 8)),
        opyard.TensorSpec(device=W.device, dtype=W.dtype, shape=(8,)),
    )
    assert params == {"normalized_shape": [8], "eps": 2e-6}
    op(X, None)
    assert target.builds[1][0][1] is None
    assert target.calls[1][1] is None


@pytest.mark.requirement("C61")
def test_the_constructors_target_goes_before_the_default_and_that_before_detection(acme):
    first, second, third = (acme(name).builds_for("RMSNormFwdOp") for name in ("first", "second", "third"))
    third.detects()
    named, later, detected = norm(eps=3e-6, target="first"), norm(eps=3e-6), norm(eps=4e-6)
    detected(X)
    opyard.set_default_target("second")  # after construction: it is selected by the first call
    assert opyard.default_target() == "second"
    named(X)
    later(X)
    assert [op.serving_target for op in (named, later, detected)] == ["first", "second", "third"]
    assert [len(t.calls) for t in (first, second, third)] == [1, 1, 1]


@pytest.mark.requirement("C59")
def test_once_selected_a_target_stays(acme):
    op = norm(eps=5e-6)
    op(X)
    target = acme().detects().builds_for("RMSNormFwdOp")
    opyard.set_default_target("acme")
    op(torch.randn(3, 8))
    assert op.serving_target is opyard.BUILTIN
    assert target.devices == []


@pytest.mark.requirement("C78")
def test_builtin_is_an_opt_out_and_none_brings_detection_back(acme):
    acme().detects().builds_for("RMSNormFwdOp")
    op = norm(eps=6e-6, target=opyard.BUILTIN)
    op(X)
    opyard.set_default_target(opyard.BUILTIN)
    assert opyard.default_target() is opyard.BUILTIN
    other = norm(eps=6e-6)
    other(X)
    opyard.set_default_target(None)
    detected = norm(eps=7e-6)
    detected(X)
    assert [op.serving_target, other.serving_target, detected.serving_target] == [
        opyard.BUILTIN,
        opyard.BUILTIN,
        "acme",
    ]
    with pytest.raises(ValueError, match="opyard.BUILTIN"):
        norm(target="builtin")


@pytest.mark.requirement("C65")
def test_a_target_without_a_builder_never_falls_back_to_in_tree_kernels(acme):
    acme().detects().builds_for("SiLUAndMulFwdOp")
    op = norm(eps=8e-6)
    with pytest.raises(OpNotAvailableError, match="acme"):
        op(X)
    assert op.serving_target is None
    written = RowScaleFwdOp(8.0)
    runs = Rows.runs
    with pytest.raises(OpNotAvailableError, match="builder"):
        written(X, W)
    assert Rows.runs == runs


@pytest.mark.requirement("C66")
def test_a_composite_without_kernels_runs_its_own_composition(acme):
    acme().builds_for("RowScaleFwdOp").result = lambda x, scale, bias: x * scale
    op = TwoScalesFwdOp(2.0, target="acme")
    torch.testing.assert_close(op(X, W), X * W * W)
    assert op.serving_target == "acme"
    assert [sub.serving_target for sub in op.held_delegates()] == ["acme", "acme"]


@pytest.mark.requirement("C76")
def test_two_claims_and_a_raising_detector_are_errors(acme):
    first, second = acme("first").detects(), acme("second").detects()
    with pytest.raises(AmbiguousDispatchError, match="first, second"):
        norm(eps=9e-6)(X)
    first.answer = ValueError("no driver")
    second.answer = False
    op = norm(eps=9e-6)
    with pytest.raises(ContractError, match="first") as raised:
        op(X)
    assert "no driver" in str(raised.value)
    assert op.serving_target is None


@pytest.mark.requirement("C79")
def test_an_unknown_target_is_refused_at_selection_with_the_known_ones(acme):
    acme().builds_for("RMSNormFwdOp")
    for op in (norm(target="acne"), TwoScalesFwdOp(target="acne")):
        with pytest.raises(OpNotAvailableError, match="builtin, acme.*did you mean 'acme'") as raised:
            op(X, W)
        assert raised.value.got == "acne"
    with pytest.raises(OpNotAvailableError, match="acme"):
        opyard.set_default_target("nobody")


@pytest.mark.requirement("C71", "C72")
def test_the_key_of_a_targets_kernel_is_the_device_and_each_dtype_and_shape(acme):
    target = acme().builds_for("RMSNormFwdOp")
    op = norm(eps=1e-5, target="acme")
    target.result = lambda x, weight: torch.empty(x.shape, dtype=x.dtype)
    strided = torch.randn(8, 4).t()
    cases = [(X, W, 1), (X.clone(), W, 1), (strided, W, 1), (torch.randn(5, 8), W, 2), (X, None, 3), (X, W, 3)]
    for x, weight, builds in [*cases, (X.half(), W.half(), 4)]:
        op(x, weight)
        assert len(target.builds) == builds


@pytest.mark.requirement("C73", "C74", "C75", "C77")
def test_what_a_target_is_called_with(acme):
    target = acme().builds_for("RMSNormFwdOp")
    op = norm(eps=2e-5, target="acme")
    strided = torch.randn(8, 4).t()
    torch.testing.assert_close(op(strided, W), F.rms_norm(strided, (8,), W, 1e-6))
    assert all(tensor.is_contiguous() for tensor in target.calls[0])
    for x, weight in [(X, W.double()), (X, torch.randn(9)), (X, W.to("meta"))]:
        with pytest.raises(SignatureError):
            op(x, weight)
    assert len(target.calls) == 1


@pytest.mark.requirement("C52")
@pytest.mark.parametrize(
    ("result", "text"),
    [
        (lambda x, w: x.new_empty(3, 8), r"\[3, 8\]"),
        (lambda x, w: x.new_empty(4, 8, dtype=torch.float64), "float64"),
        (lambda x, w: x, "storage"),
        (lambda x, w: None, "nothing"),
        (lambda x, w: 5, "int"),
        (lambda x, w: (x, x), "2"),
    ],
)
def test_a_targets_result_is_checked_and_a_bad_first_one_leaves_nothing(acme, result, text):
    target = acme().builds_for("RMSNormFwdOp")
    op = norm(eps=3e-5, target="acme")
    target.result = result
    with pytest.raises(ContractError, match=text):
        op(X, W)
    assert op.serving_target is None
    with pytest.raises(RuntimeError, match="no call"):
        op.last_call  # noqa: B018
    target.result = lambda x, w: F.rms_norm(x, (8,), w)
    op(X, W)
    assert len(target.builds) == 2  # the failed call's kernel went with it


@pytest.mark.requirement("C52")
def test_a_builder_that_gives_no_callable_or_raises(acme):
    target = acme().builds_for("RMSNormFwdOp")
    op = norm(eps=4e-5, target="acme")
    target.build_result = 5
    bad = opyard.register_kernel_builder("SiLUAndMulFwdOp", "acme", lambda *specs, **params: 5)
    target.registrations.append(bad)
    from opyard.ops import SiLUAndMulFwdOp

    with pytest.raises(OpNotAvailableError, match="callable"):
        SiLUAndMulFwdOp(target="acme")(X)
    target.build = None
    bad.remove()

    def raises(*specs, **params):
        raise ZeroDivisionError("mine")

    target.registrations[-1] = opyard.register_kernel_builder("SiLUAndMulFwdOp", "acme", raises)
    with pytest.raises(ZeroDivisionError, match="mine"):
        SiLUAndMulFwdOp(target="acme")(X)
    op(X)


@pytest.mark.requirement("C48", "C50")
def test_an_empty_write_selects_no_target(acme):
    target = acme().detects().builds_for("RMSNormFwdOp")
    op = norm(eps=5e-5)
    assert op(torch.empty(0, 8), W).shape == (0, 8)
    assert op.serving_target is None
    assert target.devices == []
    assert op.last_call.implementation == ""


@pytest.mark.requirement("C94")
def test_a_builder_for_an_unknown_operator_or_twice_is_refused(acme):
    acme().builds_for("RMSNormFwdOp")
    with pytest.raises(OpNotAvailableError, match="did you mean 'RMSNormFwdOp'"):
        opyard.register_kernel_builder("RMSNormFwdOpp", "acme", print)
    with pytest.raises(ValueError, match="already"):
        opyard.register_kernel_builder("RMSNormFwdOp", "acme", print)
    for name in ("", "builtin"):
        with pytest.raises(ValueError, match="name of its own"):
            opyard.register_detector(name, bool)
    assert opyard.registered_targets() == ["acme"]
    assert opyard.registered_targets("RMSNormFwdOp") == ["acme"]
    assert opyard.registered_targets("SiLUAndMulFwdOp") == []


@pytest.mark.requirement("C56", "C77")
def test_a_written_input_is_given_to_a_target_as_it_is(acme):
    spec = {
        "family": "probe",
        "signature": {
            "forall": {"M": "Dim", "N": "Dim", "T": "DType[float32]"},
            "inputs": {"x": {"dtype": "T", "shape": "[M, N]", "mutated": True}, "y": {"dtype": "T", "shape": "[M, N]"}},
            "outputs": {"output": {"dtype": "T", "shape": "[M, N]", "alias": "x"}},
        },
    }

    class AddToFwdOp(opyard.Op):
        def forward(self, x, y):
            x.add_(y)
            return x

    add = type("AddToFwdOp", (AddToFwdOp,), {"spec": spec})
    target = acme().builds_for("AddToFwdOp")
    target.result = lambda x, y: x.add_(y)
    for op in (add(), add(target="acme")):
        x, y = torch.zeros(8, 4).t(), torch.ones(8, 4).t()
        assert op(x, y) is x
        assert torch.equal(x, torch.ones(4, 8))
    seen_x, seen_y = target.calls[0]
    assert not seen_x.is_contiguous()
    assert seen_y.is_contiguous()
    empty = torch.empty(0, 4)
    assert add()(empty, empty.clone()) is empty
