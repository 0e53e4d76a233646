"""What a client of a registry's graphs, DSL modules and controls does: more of native_scenarios."""

from __future__ import annotations

from types import SimpleNamespace

import torch
from native_scenarios import X, fill, put, raised, scenario, yes


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y


def is_routed(n, cond):
    """Whether an exported addition calls an override after decomposition, and what the graph gives."""
    n.registry.register_op_override(f"g{len(n.registry._graphs)}", "aten", "add.Tensor", "CPU", cond, fill(7))
    n.registry._register_all_overrides()
    try:
        program = torch.export.export(Add(), (torch.ones(3), torch.ones(3)), strict=False)
        decomposed = program.run_decompositions(n.registry.native_decomp_table())
        targets = [str(node.target) for node in decomposed.graph.nodes if node.op == "call_function"]
    finally:
        n.registry._graphs[("add.Tensor", "CPU")].clear()
        n.registry._register_overrides_from_graph("add.Tensor", "CPU", [])
    return any("_native" in target for target in targets), any("aten.add" in target for target in targets)


@scenario
def a_graph_is_routed_where_the_condition_holds(n):
    return is_routed(n, yes), is_routed(n, lambda *_: False)


@scenario
def a_condition_that_raises_while_tracing_is_no_match(n):
    def broken(*_args, **_kwargs):
        raise RuntimeError("not for FakeTensors")

    return is_routed(n, broken)


@scenario
def the_decomposition_table(n):
    put(n, "t1", "mul.Tensor")
    mul = torch.ops.aten.mul.Tensor
    alone = n.registry.native_decomp_table(overrides_only=True)
    everything = n.registry.native_decomp_table()
    same = everything[mul] is n.registry._native_decomp_overrides[mul]
    n.registry.deregister_op_overrides(disable_dsl_names="t1")
    without = mul in n.registry.native_decomp_table(overrides_only=True)
    n.registry.reenable_op_overrides(enable_dsl_names="t1")
    again = mul in n.registry.native_decomp_table(overrides_only=True)
    return mul in alone, len(everything) > 100, same, without, again


@scenario
def dsls_that_are_known(n):
    triton = n.control.triton
    return (
        {"triton", "cutedsl"} <= set(n.control.all_dsls),
        set(n.control.available_dsls) <= set(n.control.all_dsls),
        (triton.name, triton.enabled, type(triton.available).__name__),
        n.control.triton is triton,
        "DSLController(triton, " in repr(triton),
        raised(getattr, n.control, "nonexistent_dsl"),
        raised(n.control._get_dsl_module, "nonexistent_dsl"),
    )


@scenario
def names_of_the_control_module(n):
    names = "available_dsls all_dsls get_dsl_operations disable_operations enable_operations disable_dispatch_keys"
    names += " enable_dispatch_keys operations_disabled is_operation_disabled is_dsl_disabled triton cutedsl"
    return [name for name in names.split() if name not in dir(n.control)]


@scenario
def a_dsl_is_switched_for_a_block_and_for_good(n):
    triton, cutedsl = n.control.triton, n.control.cutedsl
    seen = []
    with triton.disabled():
        seen.append((triton.enabled, cutedsl.enabled))
        with cutedsl.disabled():
            seen.append((triton.enabled, cutedsl.enabled, n.control.is_dsl_disabled("cutedsl")))
        seen.append((triton.enabled, cutedsl.enabled))
    triton.disable()
    with triton.disabled():
        pass
    seen.append((triton.enabled, cutedsl.enabled))
    triton.enable()
    return [*seen, triton.enabled, set(n.control._get_filter_state()._dsl_names) == set()]


@scenario
def frozen_flags_refuse_an_assignment(n):
    torch.backends.disable_global_flags()
    try:
        return raised(setattr, n.control.triton, "enabled", True)
    finally:
        torch.backends.__allow_nonbracketed_mutation_flag = True


@scenario
def operations_are_switched_for_a_block(n):
    put(n, "o1", "erf")
    seen = [torch.erf(X).tolist() == [7, 7]]
    with n.control.operations_disabled("erf", "nonexistent"):
        seen += [n.control.is_operation_disabled("erf"), torch.erf(X).tolist() == [7, 7]]
    n.control.disable_operations("erf")
    with n.control.operations_disabled("erf"):
        pass
    seen += [n.control.is_operation_disabled("erf"), torch.erf(X).tolist() == [7, 7]]
    n.control.enable_operations("erf", "nonexistent", "")
    n.control.disable_dispatch_keys("CPU", "")
    seen.append(torch.erf(X).tolist() == [7, 7])
    n.control.enable_dispatch_keys("CPU", "")
    return [*seen, torch.erf(X).tolist() == [7, 7]]


@scenario
def a_dsl_module_registers_itself(n):
    registry = type(n.native.dsl_registry.dsl_registry)()
    module = SimpleNamespace(
        runtime_available=lambda: True,
        runtime_version=lambda: None,
        register_op_override=yes,
        deregister_op_overrides=yes,
    )
    empty = raised(registry.register_dsl, " ", module), raised(registry.register_dsl, 7, module)
    lacking = raised(registry.register_dsl, "mine", SimpleNamespace(runtime_available=yes))
    registry.register_dsl("mine", module)
    found = list(registry.list_all_dsls()), list(registry.list_available_dsls()), registry.is_dsl_available("mine")
    other = SimpleNamespace(**{**vars(module), "runtime_available": lambda: False})
    registry.register_dsl("mine", other)
    return (
        empty,
        lacking,
        found,
        registry.get_dsl_module("mine") is other,
        list(registry.list_available_dsls()),
        registry.is_dsl_available("nobody"),
        registry.get_dsl_version("nobody"),
        registry.get_dsl_module("nobody"),
    )


@scenario
def a_dsl_that_cannot_say_whether_it_is_there_is_not(n):
    def broken():
        raise RuntimeError("broken")

    registry = type(n.native.dsl_registry.dsl_registry)()
    module = SimpleNamespace(
        runtime_available=broken, runtime_version=broken, register_op_override=yes, deregister_op_overrides=yes
    )
    registry.register_dsl("broken", module)
    return registry.is_dsl_available("broken"), registry.get_dsl_version("broken"), list(registry.list_available_dsls())
