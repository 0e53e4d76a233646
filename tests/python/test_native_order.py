"""Ordering functions, by call and by environment, and taking their order back."""

import logging
import subprocess
import sys

import pytest
import torch

import opyard
from opyard.native import registry

requirement = pytest.mark.requirement
A, B = torch.tensor([2.0, 3.0]), torch.tensor([4.0, 5.0])
mul = torch.ops.aten.mul.Tensor
KEY = ("mul.Tensor", "CPU")


@pytest.fixture(autouse=True)
def _three():
    for dsl, value in [("c", 1), ("triton", 2), ("b", 3)]:
        registry.register_op_override(
            dsl, "aten", "mul.Tensor", "CPU", lambda *_: True, lambda a, *_, v=value: torch.full_like(a, v)
        )
    yield
    opyard.uninstall()


def order():
    return [node.dsl_name for node in registry._graphs[KEY]]


def served():
    return mul(A, B)[0].item()


def by_name(op_symbol, dispatch_key, graph):
    return sorted(graph, key=lambda node: node.dsl_name)


@requirement("N57", "N58", "N65")
def test_the_last_registered_is_tried_first():
    assert order() == ["b", "triton", "c"]
    assert served() == 3


@requirement("N59", "N67")
def test_an_ordering_function_gets_symbol_key_and_nodes():
    seen = []

    def record(op_symbol, dispatch_key, graph):
        seen.append((op_symbol, dispatch_key, [node.dsl_name for node in graph]))
        return list(reversed(graph))

    registry.reorder_graphs_from_user_function(record, reregister_overrides=True)
    assert seen == [("mul.Tensor", "CPU", ["b", "triton", "c"])]
    assert served() == 1


@requirement("N68")
def test_without_reregistering_an_order_acts_from_the_next_registration():
    registry.reorder_graphs_from_user_function(lambda op, key, graph: list(reversed(graph)))
    assert order() == ["c", "triton", "b"]
    assert served() == 3
    registry.register_op_override("d", "aten", "mul.Tensor", "CPU", lambda *_: False, lambda a, b: a)
    assert order() == ["d", "c", "triton", "b"]
    assert served() == 1


def document_example(op_symbol, dispatch_key, nodes):
    out_nodes = []
    if op_symbol in ["_scaled_mm_v2", "add.Tensor"]:
        return []
    for node in nodes:
        if node.dsl_name != "triton":
            continue
        out_nodes.append(node)
    return out_nodes


@requirement("N60", "N63", "N64")
def test_a_destructive_function_switches_off_and_can_be_taken_back():
    registry.register_op_override("triton", "aten", "add.Tensor", "CPU", lambda *_: True, lambda a, b: a)
    registry.reorder_graphs_from_user_function(document_example, reregister_overrides=True)
    assert order() == ["triton"]
    assert served() == 2
    assert (A + B).tolist() == [6, 8]
    assert torch.ops.aten.add.Tensor not in registry.native_decomp_table(overrides_only=True)
    registry.reset_order()
    assert order() == ["b", "triton", "c"]
    assert served() == 3
    assert (A + B).tolist() == [2, 3]


@requirement("N67", "N73")
@pytest.mark.parametrize("answer", [ValueError("no order"), None, "b"])
def test_a_function_that_fails_leaves_that_graph_and_is_warned_of(caplog, answer):
    registry.register_op_override("b", "aten", "div.Tensor", "CPU", lambda *_: True, lambda a, b: a)

    def fails_for_mul(op_symbol, dispatch_key, graph):
        if op_symbol != "mul.Tensor":
            return []
        if isinstance(answer, Exception):
            raise answer
        return answer

    with caplog.at_level(logging.WARNING):
        registry.reorder_graphs_from_user_function(fails_for_mul, reregister_overrides=True)
    assert order() == ["b", "triton", "c"]
    assert [record.name.rsplit(".", 1)[0] for record in caplog.records] == ["opyard.native"]
    assert (A / B).tolist() == [0.5, pytest.approx(0.6)]


CODE = """
import sys; sys.path.insert(0, {folder!r})
import torch, opyard.native as native
for dsl in ("b", "a"):
    native.register_op_override(dsl, "aten", "relu", "CPU", lambda x: True, lambda x: x)
print([node.dsl_name for node in native.registry._graphs[("relu", "CPU")]])
"""


@requirement("N61", "N62", "N69")
@pytest.mark.parametrize(
    ("ours", "want"),
    [(None, "['b', 'a']"), ("orders.by_name", "['a', 'b']"), ("orders.gone", "Could not resolve")],
)
def test_the_environment_names_a_function_and_ours_wins(tmp_path, monkeypatch, ours, want):
    text = "def by_name(op, key, graph): return sorted(graph, key=lambda n: n.dsl_name)\n"
    text += "def backwards(op, key, graph): return sorted(graph, key=lambda n: n.dsl_name, reverse=True)\n"
    (tmp_path / "orders.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:" + ":".join(sys.path))
    monkeypatch.setenv("TORCH_PYTHON_NATIVE_USER_GRAPH_ORDER_FN", "orders.backwards")
    if ours is not None:
        monkeypatch.setenv("OPYARD_NATIVE_USER_GRAPH_ORDER_FN", ours)
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(folder=str(tmp_path))], capture_output=True, text=True, check=False
    )
    assert want in (done.stdout if want[0] == "[" else done.stderr), done.stderr
