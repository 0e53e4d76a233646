"""Where a gradient would be recorded an enabled model is eager; where none would be it is served."""

import pytest
import torch

import opyard
from small_models import build, prompts, served


@pytest.fixture(autouse=True)
def _counts():
    opyard.reset_stats()
    yield
    opyard.disable()


@pytest.mark.parametrize("name", ["llama", "mistral-window", "qwen2", "qwen3"])
def test_recorded_gradients_are_eager_gradients(name):
    model = build(name)
    ids, mask = prompts()
    model(ids, attention_mask=mask, labels=ids).loss.backward()
    expected = {key: p.grad.clone() for key, p in model.named_parameters()}
    model.zero_grad()
    with opyard.enable(model) as handle:
        model(ids, attention_mask=mask, labels=ids).loss.backward()
    assert any("gradient" in row["reason"] and row["calls"] for row in handle.fell_through)
    for key, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, expected[key], rtol=1e-4, atol=5e-5)


def test_a_frozen_model_is_served_in_gradient_mode():
    model = build("llama").requires_grad_(False)
    with opyard.enable(model) as handle:
        assert handle.frozen
        model(prompts()[0])
    assert handle.fell_through == []
    assert served(opyard.stats())["RMSNormFwdOp"] == 2 * model.config.num_hidden_layers + 1


def test_an_adapter_that_learns_gets_its_gradient():
    model = build("llama").requires_grad_(False)
    model.model.layers[1].mlp.down_proj.weight.requires_grad_(True)
    ids, _ = prompts()
    with opyard.enable(model):
        model(ids, labels=ids).loss.backward()
    assert model.model.layers[1].mlp.down_proj.weight.grad.abs().sum() > 0
