"""What a client of an override registry does, as functions of the registry, so that torch's own and opyard's run alike.

Each gives plain data: what it saw. `print_all("torch")` prints those of the modules that were imported, as JSON.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import os
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

MODULES = {
    "torch": ("torch._native", "torch.backends.python_native"),
    "opyard": ("opyard.native", "opyard.native.control"),
}
X = torch.tensor([-2.0, 3.0])
Scenario = Callable[[SimpleNamespace], Any]
SCENARIOS: dict[str, Scenario] = {}


def scenario(function: Scenario) -> Scenario:
    SCENARIOS[function.__name__] = function
    return function


def fill(value):
    return lambda x, *_args, **_kwargs: torch.full_like(x, value)


def yes(*_args, **_kwargs):
    return True


def put(n, dsl, op, cond=yes, value=7, key="CPU", **more):
    """In force: torch's registry waits for a second step."""
    n.registry.register_op_override(dsl, "aten", op, key, cond, fill(value), **more)
    n.registry._register_all_overrides()


def raised(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__
    return None


@scenario
def signatures(n):
    names = ("deregister_op_overrides", "reenable_op_overrides", "reorder_graphs_from_user_function")
    names += ("native_decomp_table", "get_dsl_operations")
    found = {name: list(inspect.signature(getattr(n.registry, name)).parameters) for name in names}
    register = inspect.signature(n.registry.register_op_override).parameters
    return found, list(register)


@scenario
def fields_of_a_node(n):
    node = n.registry._OverrideNode("dsl", "add.Tensor", "CPU", yes, yes, "id")
    return [node.dsl_name, node.op_symbol, node.dispatch_key, node.node_id, node.unconditional_override, node.active]


@scenario
def a_condition_decides(n):
    put(n, "d1", "relu", lambda x: x.dtype == torch.float64)
    return torch.relu(X).tolist(), torch.relu(X.double()).tolist(), X.relu().tolist(), torch.ops.aten.relu(X).tolist()


@scenario
def the_graph_lists_what_was_registered(n):
    put(n, "d2", "neg")
    (node,) = n.registry._graphs[("neg", "CPU")]
    return node.dsl_name, node.op_symbol, node.dispatch_key, node.active


@scenario
def an_unconditional_override_serves_its_key_alone(n):
    n.registry.register_op_override("d3", "aten", "abs", "CPU", None, fill(5), unconditional_override=True)
    n.registry._register_all_overrides()
    return torch.abs(X).tolist(), torch.abs(X.to("meta")).shape


@scenario
def refusals(n):
    def register(lib, key, cond):
        return raised(n.registry.register_op_override, "d4", lib, "mul.Tensor", key, cond, yes)

    rows = [("aten", key, yes) for key in ("Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd")]
    return [register(*row) for row in [*rows, ("aten", "CPU", None)]]


@scenario
def filters_by_dsl_operator_and_key(n):
    put(n, "d5", "sin")
    seen = []
    for kind, name in (("dsl_names", "d5"), ("op_symbols", ["sin"]), ("dispatch_keys", "CPU")):
        n.registry.deregister_op_overrides(**{f"disable_{kind}": name})
        seen.append((torch.sin(X).tolist() == X.sin().tolist(), n.registry._graphs[("sin", "CPU")][0].active))
        n.registry.reenable_op_overrides(**{f"enable_{kind}": name})
        seen.append((torch.sin(X).tolist(), n.registry._graphs[("sin", "CPU")][0].active))
    return seen


@scenario
def operations_of_a_dsl(n):
    put(n, "d6", "tan")
    put(n, "d6", "cosh")
    return n.registry.get_dsl_operations("d6"), n.registry.get_dsl_operations("nobody")


@scenario
def a_user_orders(n):
    put(n, "zz", "exp", value=1)
    put(n, "aa", "exp", value=2)
    n.registry.reorder_graphs_from_user_function(lambda op, key, graph: sorted(graph, key=lambda node: node.dsl_name))
    names = [node.dsl_name for node in n.registry._graphs[("exp", "CPU")]]
    n.registry.reorder_graphs_from_user_function(lambda op, key, graph: graph, reregister_overrides=True)
    n.registry._register_all_overrides()
    return names, torch.exp(X).tolist()


@scenario
def an_ordering_function_that_fails_changes_nothing(n):
    put(n, "d7", "log")
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())
    logger = logging.getLogger(f"{n.name}")
    logger.addHandler(handler)

    def broken(op, key, graph):
        if op == "log":
            raise ValueError("broken")
        return graph

    n.registry.reorder_graphs_from_user_function(broken)
    logger.removeHandler(handler)
    return len(n.registry._graphs[("log", "CPU")]), records


@scenario
def an_ordering_function_from_the_environment(n):
    variable = "TORCH_PYTHON_NATIVE_USER_GRAPH_ORDER_FN"
    n.native.get_user_ordering_fn.cache_clear()
    unset = n.native.get_user_ordering_fn()
    os.environ[variable] = "nonexistent.module.function"
    n.native.get_user_ordering_fn.cache_clear()
    wrong = raised(n.native.get_user_ordering_fn)
    os.environ[variable] = "os.path.join"
    n.native.get_user_ordering_fn.cache_clear()
    found = n.native.get_user_ordering_fn().__name__
    del os.environ[variable]
    return unset, wrong, found


@scenario
def an_in_place_override_returns_its_input(n):
    n.registry.register_op_override("d8", "aten", "add_.Tensor", "CPU", yes, lambda a, b, **_: a.copy_(b))
    n.registry._register_all_overrides()
    a = X.clone()
    return a.add_(X + 1) is a, a.tolist()


@scenario
def what_an_implementation_raises_reaches_the_caller(n):
    def broken(x):
        raise KeyError("mine")

    n.registry.register_op_override("d9", "aten", "cos", "CPU", yes, broken)
    n.registry._register_all_overrides()
    return raised(torch.cos, X)


@scenario
def the_first_of_two_that_match(n):
    put(n, "first", "ceil", value=1)
    put(n, "second", "ceil", value=2)
    return torch.ceil(X).tolist()


@scenario
def in_force_without_a_second_step(n):
    n.registry.register_op_override("d10", "aten", "floor", "CPU", yes, fill(7))
    return torch.floor(X).tolist()


@scenario
def another_namespace(n):
    torch.library.define(f"scenario_{n.key}::op", "(Tensor x) -> Tensor")
    torch.library.impl(f"scenario_{n.key}::op", "CPU", lambda x: x)
    return raised(n.registry.register_op_override, "d11", f"scenario_{n.key}", "op", "CPU", yes, fill(7))


@scenario
def an_operator_that_torch_lacks(n):
    found = raised(n.registry.register_op_override, "d12", "aten", "test.Tensor", "CPU", yes, fill(7))
    n.registry._graphs.pop(("test.Tensor", "CPU"), None)
    return found


def load(key: str) -> SimpleNamespace:
    native, control = (importlib.import_module(name) for name in MODULES[key])
    registry: ModuleType = importlib.import_module(f"{native.__name__}.registry")
    return SimpleNamespace(key=key, name=native.__name__, native=native, registry=registry, control=control)


def print_all(key: str) -> None:
    loaded = load(key)
    print(json.dumps({name: function(loaded) for name, function in SCENARIOS.items()}))
