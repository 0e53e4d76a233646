"""torch.compile traces an enabled model whole."""

import pytest
import torch

import opyard
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
