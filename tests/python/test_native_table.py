"""The decomposition table: what is in it, whom it serves, and compiling with it."""

import pytest
import torch
from exported_adds import ADD, INPUTS, Adds, decomposed, register, targets
from torch._subclasses.fake_tensor import FakeTensorMode

import opyard
from opyard.native import native_decomp_table, registry

requirement = pytest.mark.requirement


pytestmark = pytest.mark.usefixtures("no_overrides_after", "no_graphs_after")


@requirement("N30")
def test_a_condition_on_symbolic_sizes_guards():
    register(cond=lambda x, y: x.shape[0] > 2)

    def add(x, y):
        return x + y

    seen = []

    def backend(graph, inputs):
        from functorch.compile import make_boxed_func
        from torch._dynamo.backends.common import aot_autograd

        def compiler(graph, inputs):
            seen.append([str(node.target) for node in graph.graph.nodes if node.op == "call_function"])
            return make_boxed_func(graph.forward)

        return aot_autograd(fw_compiler=compiler, decompositions=native_decomp_table())(graph, inputs)

    compiled = torch.compile(add, backend=backend, dynamic=True)
    assert compiled(torch.ones(4), torch.ones(4)).tolist() == [7] * 4
    assert compiled(torch.ones(6), torch.ones(6)).tolist() == [7] * 6
    assert compiled(torch.ones(2), torch.ones(2)).tolist() == [2] * 2
    assert len(seen) == 2
    assert "opyard_native" in seen[0][-1]
    assert "aten.add" in seen[1][-1]


@requirement("N23", "N28")
def test_the_table_is_a_new_dict_of_the_defaults_and_what_is_active():
    register()
    register(op="mul.Tensor")
    defaults = torch.export.default_decompositions()
    table, alone = native_decomp_table(), native_decomp_table(overrides_only=True)
    assert set(alone) == {ADD, torch.ops.aten.mul.Tensor}
    assert set(table) == set(defaults) | set(alone)
    assert table[ADD] is alone[ADD]
    table.clear()
    assert set(native_decomp_table(overrides_only=True)) == set(alone)
    registry.deregister_op_overrides(disable_dsl_names="one")
    assert native_decomp_table(overrides_only=True) == {}
    registry.reenable_op_overrides(enable_dsl_names="one")
    assert set(native_decomp_table(overrides_only=True)) == set(alone)


@requirement("N24")
def test_nothing_is_written_into_global_tables():
    from torch._decomp import decomposition_table
    from torch._inductor.decomposition import decompositions

    before = dict(decomposition_table), dict(decompositions)
    register()
    decomposed()
    assert before == (dict(decomposition_table), dict(decompositions))
    assert targets(torch.export.export(Adds(), INPUTS).run_decompositions()) == ["aten.add.Tensor"]


@requirement("N27")
def test_the_entry_routes_by_the_device():
    register(key="CUDA", dsl="cuda")
    name = register(dsl="cpu")
    entry = native_decomp_table(overrides_only=True)[ADD]
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert entry(torch.empty(2, device="cpu"), torch.empty(2)).device.type == "cpu"
        assert entry(torch.empty(2, device="meta"), torch.empty(2, device="meta")) is NotImplemented
    assert targets(decomposed()) == [f"opyard_native.{name}.default"]


@requirement("N22")
@pytest.mark.parametrize(
    ("dtype", "number"), [(torch.float32, 0.1), (torch.bfloat16, 0.1), (torch.int32, 2), (torch.int64, 0.5)]
)
def test_a_number_in_a_tensors_place_reaches_the_override_as_a_tensor(dtype, number):
    class AddsNumber(torch.nn.Module):
        def forward(self, x):
            return x + number

    seen = []

    def impl(x, other, **kwargs):
        seen.append(type(other))
        with opyard.aten_original():
            return torch.add(x, other)

    register(impl=impl)
    x = torch.arange(3).to(dtype)
    program = decomposed(AddsNumber(), (x,))
    assert "opyard_native" in targets(program)[-1]
    got = program.module()(x)
    assert seen == [torch.Tensor]
    opyard.uninstall()
    torch.testing.assert_close(got, x + number)


def test_inductor_compiles_with_the_table():
    from torch._inductor.compile_fx import compile_fx

    register()
    table = native_decomp_table(overrides_only=True)
    from torch._inductor.decomposition import select_decomp_table

    compiled = torch.compile(
        lambda x, y: (x + y) * 2, backend=lambda g, i: compile_fx(g, i, decompositions=select_decomp_table() | table)
    )
    assert compiled(*INPUTS).tolist() == [14, 14, 14]
