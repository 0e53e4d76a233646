"""torch.compile traces an enabled model whole."""

import pytest
import torch

import opyard
import opyard.native
from small_models import build, prompts


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()
    with torch.no_grad():
        yield
    opyard.disable()


@pytest.mark.parametrize("name", ["llama", "mistral-window", "qwen2", "qwen3"])
def test_an_enabled_model_is_one_graph(name):
    model = build(name)
    ids, mask = prompts()
    expected = model(ids, attention_mask=mask, use_cache=False).logits
    with opyard.enable(model):
        compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
        logits = compiled(ids, attention_mask=mask, use_cache=False).logits
    torch.testing.assert_close(logits[mask.bool()], expected[mask.bool()], rtol=1e-3, atol=1e-3)


def test_inductor_gives_the_same_logits_before_and_after_disabling():
    model = build("llama")
    ids, _ = prompts()
    expected = model(ids, use_cache=False).logits
    compiled = torch.compile(model)
    with opyard.enable(model):
        enabled = compiled(ids, use_cache=False).logits
    disabled = compiled(ids, use_cache=False).logits
    torch.testing.assert_close(enabled, expected, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(disabled, expected, rtol=1e-3, atol=1e-3)


def test_a_compiled_product_meets_the_routes_that_are_on_when_it_is_called():
    weight, x = torch.randn(64, 48), torch.randn(33, 64)
    compiled = torch.compile(lambda x: torch.relu(x @ weight) + 1)
    want = torch.relu(x @ weight) + 1
    compiled(x)
    compilations = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    for enabled in (False, True, False):
        opyard.reset_stats()
        if enabled:
            with opyard.enable():
                got = compiled(x)
        else:
            got = compiled(x)
        met = [row for row in opyard.stats() if row["operator"] == "aten::mm"]
        assert bool(met) is enabled
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == compilations


def test_what_the_table_put_into_a_compiled_graph_stays_there():
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    def seven(x):
        return torch.full_like(x, 7)

    handle = opyard.override("aten::relu", "CPU", impl=seven)
    table = opyard.native.native_decomp_table()
    backend = aot_autograd(fw_compiler=lambda graph, _: make_boxed_func(graph.forward), decompositions=table)
    compiled = torch.compile(lambda x: torch.relu(x) + 1, backend=backend)
    x = torch.tensor([-1.0, 2.0])
    assert compiled(x).tolist() == [8, 8]
    handle.remove()
    assert torch.relu(x).tolist() == [0, 2]
    assert compiled(x).tolist() == [8, 8]
    torch._dynamo.reset()
    opyard.uninstall()
