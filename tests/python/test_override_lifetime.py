"""Overrides that come and go: by rounds, with threads calling, and what uninstalling leaves."""

import gc
import resource
import threading

import pytest
import torch

import opyard
from opyard.native import registry

requirement = pytest.mark.requirement
X = torch.tensor([-1.0, 2.0])


@pytest.fixture(autouse=True)
def _clean():
    yield
    opyard.uninstall()


def tables():
    return {
        name: torch._C._dispatch_dump_table(f"aten::{name}")
        for name in ("relu", "hypot", "mm", "add.Tensor", "add.out")
    }


@requirement("N56")
def test_uninstalling_brings_torchs_table_back():
    opyard.uninstall()  # routers of other tests
    before = tables()
    for name in ("relu", "hypot", "mm", "add.Tensor"):
        opyard.override(f"aten::{name}", "CPU", impl=lambda *_: NotImplemented)
    assert tables() != before
    opyard.uninstall()
    assert tables() == before
    assert opyard.overrides() == []


@requirement("N56")
def test_uninstalling_five_hundred_overrides_leaves_no_trace_in_torchs_table():
    opyard.uninstall()
    names = sorted(name for name in torch._C._dispatch_get_registrations_for_dispatch_key("CPU") if "::" in name)

    def dump():
        return {name: torch._C._dispatch_dump(name) + torch._C._dispatch_dump_table(name) for name in names}

    before = dump()
    overridden = [name.removeprefix("aten::") for name in names if name.startswith("aten::")][:500]
    for name in overridden:
        registry.register_op_override("many", "aten", name, "CPU", lambda *_, **__: False, lambda *_, **__: None)
    changed = dump()
    assert sum(changed[name] != before[name] for name in names) == len(overridden) == 500
    opyard.uninstall()
    assert dump() == before


def test_uninstalling_is_refused_while_opyard_is_enabled():
    with opyard.enable(), pytest.raises(RuntimeError, match="disable"):
        opyard.uninstall()


def test_ten_thousand_rounds_leave_lists_behaviour_and_memory():
    registry.register_op_override("rounds", "aten", "relu", "CPU", lambda x: x.ndim == 1, lambda x: x)

    def rounds(count):
        for _ in range(count):
            registry.deregister_op_overrides(disable_dsl_names="rounds")
            registry.reenable_op_overrides(enable_dsl_names="rounds")
        gc.collect()

    before = opyard.overrides()
    rounds(2000)
    settled = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds(10000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - settled < 1024, "KiB"
    assert opyard.overrides() == before
    assert torch.relu(X).tolist() == [-1, 2]
    opyard.uninstall()
    assert torch.relu(X).tolist() == [0, 2]


def test_handles_free_what_they_hold():
    import weakref

    class Held:
        def __call__(self, x):
            return x

    held = Held()
    alive = weakref.ref(held)
    handle = opyard.override("aten::relu", "CPU", impl=held)
    torch.relu(X)
    del held
    assert alive() is not None
    handle.remove()
    del handle
    gc.collect()
    assert alive() is None


def test_registration_ordering_and_removal_while_threads_call():
    wrong, done = [], threading.Event()
    allowed = ([0, 2], [7, 7], [8, 8])

    def call():
        x = X.clone()
        while not done.is_set():
            got = torch.relu(x).tolist()
            if got not in allowed:
                wrong.append(got)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(150):
        with opyard.override("aten::relu", "CPU", impl=lambda x: torch.full_like(x, 7)):
            registry.register_op_override("t", "aten", "relu", "CPU", lambda x: True, lambda x: torch.full_like(x, 8))
            registry.reorder_graphs_from_user_function(lambda o, k, graph: graph[::-1], reregister_overrides=True)
            registry.reset_order()
            registry.deregister_op_overrides(disable_dsl_names="t")
            registry.reenable_op_overrides(enable_dsl_names="t")
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_table_shows_operator_key_order_counts_and_reasons():
    with (
        opyard.override("aten::relu", "CPU", when={"ndim": 2}, impl=lambda x: x),
        opyard.override("aten::relu", "CPU", when="self.ndim == 3", impl=lambda x: x),
    ):
        torch.relu(X)
        table = [row for row in opyard.overrides() if row.operator == "aten::relu"]
        assert [(row.key, row.position, row.hits, row.falls) for row in table] == [("CPU", 0, 0, 1), ("CPU", 1, 0, 1)]
        assert [row.last_reason for row in table] == ["its predicate is false", "not: self.dim() == 2"]
        assert "self.ndim == 3" in str(opyard.overrides())


def test_a_condition_in_cpp_is_asked_without_python():
    import ctypes

    asked = []
    function = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_size_t)(lambda _, n: bool(asked.append(n)))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(ctypes.cast(function, ctypes.c_void_p), b"opyard.condition", None)
    with opyard.override("aten::relu", "CPU", when=capsule, impl=lambda x: x):
        assert torch.relu(X).tolist() == [0, 2]
    assert asked == [1]
