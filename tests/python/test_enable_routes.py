"""Which catalogue operators `enable` puts in front of which aten operators, for the process or a thread."""

import threading

import pytest
import torch

import opyard
from opyard import _C
from opyard.native import registry

A, B = torch.randn(4, 1, 64), torch.randn(4, 48, 64).mT  # as weights lie: rows are contiguous along the inner size
BIAS = torch.randn(48)
CALLS = {
    "aten::mm": lambda: torch.mm(A[0], B[0]),
    "aten::addmm": lambda: torch.addmm(BIAS, A[0], B[0]),
    "aten::bmm": lambda: torch.bmm(A, B),
}
pytestmark = pytest.mark.usefixtures("no_overrides_after")


@pytest.fixture(autouse=True)
def _ended():
    yield
    while _active():
        opyard.disable()


def _active():
    from opyard.enable import is_active

    return is_active()


def met():
    """The aten operators whose calls meet a route of this thread, and which are called."""
    opyard.reset_stats()
    for call in CALLS.values():
        call()
    return {row["operator"] for row in opyard.stats() if row["operator"] in CALLS}


def on():
    return {aten for _, aten, _, is_on, *_ in _C.routes() if is_on}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, {"aten::mm", "aten::addmm", "aten::bmm"}),
        ({"ops": "BMMFwdOp"}, {"aten::bmm"}),
        ({"ops": ["GEMMFwdOp", "BMMFwdOp"], "except_": "addmm"}, {"aten::mm", "aten::bmm"}),
        ({"only": "aten::mm"}, {"aten::mm"}),
        ({"only": ["mm", "addmm"], "except_": ["aten::mm"]}, {"aten::addmm"}),
        ({"ops": []}, set()),
        ({"dsl": "opyard", "only": "bmm"}, {"aten::bmm"}),
    ],
    ids=str,
)
def test_names_choose_the_routes(choice, expected):
    want = {name: call() for name, call in CALLS.items()}
    with opyard.enable(**choice):
        assert met() == expected
        for name, call in CALLS.items():
            torch.testing.assert_close(call(), want[name], rtol=1e-4, atol=1e-4)
    assert met() == set()
    assert opyard.overrides() == []


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"ops": "GemmFwdOp"}, "'ops'.*GEMMFwdOp.*got 'GemmFwdOp'"),
        ({"only": "relu"}, "'only'.*aten::mm.*got 'aten::relu'"),
        ({"except_": ["mm", "nn"]}, "'except_'.*got 'aten::nn'"),
        ({"dsl": "no_such_dsl"}, "no_such_dsl"),
        ({"dsl": "triton", "ops": "GEMMFwdOp"}, "all of its overrides"),
        ({"dsl": "triton", "scope": "thread"}, "all of its overrides"),
        ({"scope": "block"}, "'scope'.*got 'block'"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_and_switches_nothing(choice, words):
    with pytest.raises(ValueError, match=words):
        opyard.enable(**choice)
    assert on() == set()
    assert not _active()


def test_activations_are_counted_for_each_route():
    first = opyard.enable(only="mm")
    second = opyard.enable()
    first.disable()
    assert {"aten::mm", "aten::bmm"} <= on()
    second.disable()
    assert on() == set()


def test_a_threads_routes_are_its_own():
    begun, go_on, seen = threading.Event(), threading.Event(), {}

    def work():
        with opyard.enable(scope="thread"):
            begun.set()
            go_on.wait(60)
            seen["there"] = on()
            seen["served"] = torch.mm(A[0], B[0])
        seen["after"] = on()

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(60)
    assert on() == set()
    here = torch.mm(A[0], B[0])
    go_on.set()
    thread.join()
    assert seen["there"] >= {"aten::mm", "aten::bmm"}
    assert seen["after"] == set()
    torch.testing.assert_close(seen["served"], here, rtol=1e-4, atol=1e-4)


def test_another_thread_cannot_end_a_threads_routes():
    handle = opyard.enable(scope="thread")
    raised = []

    def end():
        opyard.disable()  # there is none of its own
        try:
            handle.disable()
        except RuntimeError as error:
            raised.append(str(error))

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()
    assert "disable it there" in raised[0]
    assert on() != set()
    handle.disable()
    assert on() == set()


def test_overrides_of_a_dsl_are_on_for_the_block():
    registry.register_op_override("mine", "aten", "relu", "CPU", lambda x: True, lambda x: torch.full_like(x, 7))
    registry.deregister_op_overrides(disable_dsl_names="mine")
    x = torch.tensor([-1.0])
    with opyard.enable(dsl="mine"):
        assert torch.relu(x).item() == 7
        assert on() == set()
        with opyard.enable(dsl=["mine", "opyard"], only=None):
            assert "aten::mm" in on()
        assert torch.relu(x).item() == 7
    assert torch.relu(x).item() == 0


PRODUCTS_ALONE = [
    ("addmm with beta 0", lambda: torch.addmm(torch.full((1, 48), torch.nan), A[0], B[0], beta=0)),
    ("addmm_ with beta 0", lambda: torch.full((1, 48), torch.nan).addmm_(A[0], B[0], beta=0)),
    ("baddbmm with beta 0", lambda: torch.baddbmm(torch.full((48,), torch.nan), A, B, beta=0)),
    ("baddbmm_ with beta 0", lambda: torch.full((4, 1, 48), torch.nan).baddbmm_(A, B, beta=0)),
    ("addmm_", lambda: torch.ones(1, 48).addmm_(A[0], B[0])),
    ("addmm with alpha", lambda: torch.addmm(BIAS, A[0], B[0], alpha=2)),
    ("baddbmm", lambda: torch.baddbmm(torch.ones(4, 1, 48), A, B)),
]


@pytest.mark.parametrize("call", [call for _, call in PRODUCTS_ALONE], ids=[name for name, _ in PRODUCTS_ALONE])
def test_every_form_of_a_product_gives_torchs_answer(call):
    want = call()
    with opyard.enable():
        got = call()
    assert got.stride() == want.stride()
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def test_products_alone_are_served():
    with opyard.enable():
        opyard.reset_stats()
        for _, call in PRODUCTS_ALONE[:4]:
            call()
        served = {row["operator"]: row["calls"] for row in opyard.stats() if "fell_through" in row}
    assert (served["aten::addmm"], served["aten::baddbmm"]) == (2, 2)


@pytest.mark.parametrize("self_shape", [(3,), (2, 1, 48)])
def test_a_self_that_torch_refuses_is_refused(self_shape):
    with opyard.enable(), pytest.raises(RuntimeError, match="expand|shape|size"):
        torch.baddbmm(torch.ones(self_shape), A, B, beta=0)
