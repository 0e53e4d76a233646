"""SmolLM2 and MiniLM, with their real weights, give the same with every override of the CPU on: eager, exported,
compiled."""

from contextlib import contextmanager

import pytest
import torch
from dsl_opinfo import LEAVES, override_all
from real_models import Embedder, NextToken, sentences
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func

import opyard
from opyard.cli.model import load_model, prompt_ids
from opyard.native import native_decomp_table

pytestmark = pytest.mark.usefixtures("no_overrides_after", "no_graphs_after")


@contextmanager
def everything():
    """A leaf's override serves by torch's own kernel; catalogue operators stand in front of those."""
    with override_all(), opyard.enable():
        yield


@pytest.fixture(scope="module")
def embedder():
    return Embedder()


@pytest.fixture(scope="module")
def smollm2():
    return load_model("float32")


def by_table():
    """A backend of torch.compile that decomposes by the overrides' table, and notes the graphs' operators."""
    seen = set()

    def compiler(graph, _):
        seen.update(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return make_boxed_func(graph.forward)

    return aot_autograd(fw_compiler=compiler, decompositions=native_decomp_table()), seen


def overridden(targets):
    return {leaf for leaf in LEAVES if any(f"opyard_native.{name_in_graphs(leaf)}_opyard" in t for t in targets)}


def name_in_graphs(leaf):
    return leaf.removeprefix("aten::").replace(".", "_")


@torch.no_grad()
def test_minilm_embeds_64_sentences_alike(embedder):
    tokens = embedder.tokens(sentences())
    assert tokens[0].shape[0] == 64
    want = embedder(*tokens)
    with everything():
        got = embedder(*tokens)
        served = {row.operator for row in opyard.overrides() if row.hits}
    torch.testing.assert_close(got, want, rtol=0, atol=1e-5)
    assert {"aten::addmm", "aten::native_layer_norm", "aten::gelu", "aten::add.Tensor"} <= served


@torch.no_grad()
def test_smollm2_generates_the_same_tokens(smollm2):
    ids = prompt_ids(smollm2, sentences()[2])
    arguments = {"max_new_tokens": 8, "do_sample": False, "attention_mask": torch.ones_like(ids)}
    want = smollm2.model.generate(ids, **arguments)
    with everything(), opyard.enable(smollm2.model):
        got = smollm2.model.generate(ids, **arguments)
    assert got.tolist() == want.tolist()


@torch.no_grad()
def test_minilm_exported_and_decomposed_by_the_table_embeds_alike(embedder):
    tokens = embedder.tokens(sentences()[:4])
    want = embedder(*tokens)
    program = torch.export.export(embedder, tokens, strict=False)
    with everything():
        decomposed = program.run_decompositions(native_decomp_table())
        got = decomposed.module()(*tokens)
    targets = {str(node.target) for node in decomposed.graph.nodes}
    assert {"aten::addmm", "aten::native_layer_norm", "aten::gelu"} <= overridden(targets)
    torch.testing.assert_close(got, want, rtol=0, atol=1e-5)


@torch.no_grad()
def test_minilm_compiled_by_the_table_embeds_alike(embedder):
    tokens = embedder.tokens(sentences()[:4])
    want = embedder(*tokens)
    with everything():
        backend, targets = by_table()
        got = torch.compile(embedder, backend=backend, fullgraph=True)(*tokens)
    assert {"aten::addmm", "aten::native_layer_norm", "aten::gelu"} <= overridden(targets)
    torch.testing.assert_close(got, want, rtol=0, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("way", ["export", "compile"])
def test_smollm2_in_a_graph_chooses_the_same_token(smollm2, way):
    ids = prompt_ids(smollm2, sentences()[14])
    model = NextToken(smollm2.model)
    want = model(ids)
    with everything():
        if way == "export":
            program = torch.export.export(model, (ids,), strict=False).run_decompositions(native_decomp_table())
            targets, run = {str(node.target) for node in program.graph.nodes}, program.module()
        else:
            backend, targets = by_table()
            run = torch.compile(model, backend=backend)
        got = run(ids)
    assert {"aten::mm", "aten::silu", "aten::add.Tensor"} <= overridden(targets)
    torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
    assert torch.equal(got.argmax(-1), want.argmax(-1))
