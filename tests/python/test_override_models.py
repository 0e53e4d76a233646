"""Models run with overrides on as they run without: eager, exported and compiled."""

import pytest
import torch
from dsl_opinfo import override_all

import opyard
import small_models
from opyard.native import native_decomp_table

requirement = pytest.mark.requirement


@pytest.fixture(autouse=True)
def _clean():
    yield
    opyard.uninstall()
    torch._dynamo.reset()


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(ids, use_cache=False).logits


@pytest.mark.parametrize("name", ["llama", "qwen3"])
def test_a_model_gives_the_same_logits_and_tokens(name):
    model = small_models.build(name)
    ids, mask = small_models.prompts()

    def run():
        with torch.no_grad():
            tokens = model.generate(ids, attention_mask=mask, max_new_tokens=8, do_sample=False, pad_token_id=0)
            return model(ids, attention_mask=mask).logits, tokens

    logits, tokens = run()
    with override_all():
        got_logits, got_tokens = run()
        assert sum(row.hits for row in opyard.overrides()) > 100
    assert torch.equal(got_logits, logits)
    assert torch.equal(got_tokens, tokens)


@requirement("N22")
def test_an_exported_model_calls_the_overrides_and_gives_the_same_logits():
    model = Logits(small_models.build("llama"))
    ids, _ = small_models.prompts()
    with torch.no_grad():
        want = model(ids)
        program = torch.export.export(model, (ids,), strict=False)
        with override_all():
            decomposed = program.run_decompositions(native_decomp_table())
            targets = {str(node.target) for node in decomposed.graph.nodes if node.op == "call_function"}
            got = decomposed.module()(ids)
    for leaf in ("mm", "add_Tensor", "mul_Tensor"):
        assert [target for target in targets if target.startswith(f"opyard_native.{leaf}_opyard_")], targets
    torch.testing.assert_close(got, want)


def test_registering_and_removing_leaves_what_is_compiled_as_it_is():
    def seven(x):
        return torch.full_like(x, 7)

    compiled = torch.compile(lambda x: torch.relu(x) + 1, backend="aot_eager")
    x = torch.tensor([-1.0, 2.0])
    assert compiled(x).tolist() == [1, 3]
    with opyard.override("aten::relu", "CPU", impl=seven):
        # The graph's aten operators run eagerly with this backend, and so meet the router.
        assert compiled(x).tolist() == [8, 8]
    assert compiled(x).tolist() == [1, 3]
    table = native_decomp_table(overrides_only=True)
    assert table == {}
