"""Disabling puts a model back as it was."""

import copy

import pytest
import torch

import opyard
from small_models import build, prompts


def state_of(model):
    """What of a model `enable` may not leave changed."""
    return {
        "attributes": {name: sorted(vars(module)) for name, module in model.named_modules()},
        "parameters": {name: (id(p), tuple(p.shape), p.stride(), p.dtype) for name, p in model.named_parameters()},
        "attention": model.config._attn_implementation,
        "hooks": {name: len(module._forward_hooks) for name, module in model.named_modules()},
        "training": model.training,
    }


@pytest.mark.parametrize("name", ["llama", "mistral-window", "qwen2", "qwen3"])
@pytest.mark.parametrize("end", ["handle", "model", "last", "block"])
def test_every_way_to_disable_restores_the_model(name, end):
    model = build(name)
    ids, _ = prompts()
    before = state_of(model)
    values = copy.deepcopy(model.state_dict())
    expected = model(ids).logits
    if end == "block":
        with opyard.enable(model):
            assert state_of(model) != before
    else:
        handle = opyard.enable(model)
        assert state_of(model) != before
        {"handle": handle.disable, "model": lambda: opyard.disable(model), "last": opyard.disable}[end]()
    assert state_of(model) == before
    assert all(torch.equal(value, values[key]) for key, value in model.state_dict().items())
    logits = model(ids).logits
    assert torch.equal(logits, expected)
    assert logits.stride() == expected.stride()


def test_gradients_after_disabling_are_as_before():
    model = build("llama")
    ids, _ = prompts()
    model(ids, labels=ids).loss.backward()
    expected = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    opyard.enable(model).disable()
    model(ids, labels=ids).loss.backward()
    assert all(torch.equal(p.grad, expected[name]) for name, p in model.named_parameters())


def test_activations_of_one_model_are_counted():
    model = build("llama")
    before = state_of(model)
    outer = opyard.enable(model)
    with opyard.enable(model):
        pass
    assert state_of(model) != before
    outer.disable()
    assert state_of(model) == before


def test_a_handle_ends_only_once():
    model = build("llama")
    before = state_of(model)
    first, second = opyard.enable(model), opyard.enable(model)
    first.disable()
    first.disable()
    assert state_of(model) != before
    second.disable()
    assert state_of(model) == before


def test_models_of_one_configuration_are_disabled_apart():
    model = build("llama")
    other = type(model)(model.config).eval()
    opyard.enable(model)
    opyard.enable(other)
    opyard.disable(model)
    assert model.config._attn_implementation == "opyard"
    opyard.disable(other)
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("step", ["use_routes", "measure"])
def test_an_enable_that_fails_leaves_the_model_as_it_was(step, monkeypatch):
    def fail(*_):
        raise RuntimeError("no more")

    model = build("llama")
    before = state_of(model)
    with monkeypatch.context() as patch:
        patch.setattr(opyard._C, step, fail)
        with pytest.raises(RuntimeError, match="no more"):
            opyard.enable(model)
    assert state_of(model) == before
    opyard.enable(model).disable()
    assert state_of(model) == before


def test_a_model_enabled_in_inference_mode_can_learn_afterwards():
    model = build("llama")
    ids, _ = prompts()
    with torch.inference_mode(), opyard.enable(model):
        model(ids)
    model(ids, labels=ids).loss.backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_disabling_what_is_not_enabled_does_nothing():
    opyard.disable()
    opyard.disable(build("llama"))


def test_enabling_without_a_model_leaves_models_alone():
    model = build("llama")
    before = state_of(model)
    with opyard.enable():
        assert state_of(model) == before


def test_a_chosen_attention_implementation_outlives_disabling():
    model = build("llama")
    with opyard.enable(model):
        model.set_attn_implementation("eager")
    assert model.config._attn_implementation == "eager"


def test_enabling_something_else_than_a_module_is_refused():
    with pytest.raises(TypeError, match="enable: argument 'model': expected an nn.Module or None, got str"):
        opyard.enable("llama")
