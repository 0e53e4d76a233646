"""A copy of an enabled model, in memory or on disk, is a plain model."""

import copy
import pickle

import pytest
import torch

import opyard
from small_models import build, prompts


@torch.no_grad()
def test_a_saved_enabled_model_loads_as_it_is(tmp_path):
    model = build("llama")
    ids, _ = prompts()
    expected = model(ids).logits
    with opyard.enable(model):
        model.save_pretrained(tmp_path)
    loaded = type(model).from_pretrained(tmp_path)
    assert loaded.config._attn_implementation == "sdpa"
    torch.testing.assert_close(loaded(ids).logits, expected)


@pytest.mark.parametrize("copying", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_of_an_enabled_model_is_a_plain_model(copying):
    model = build("llama")
    ids, _ = prompts()
    expected = model(ids).logits
    with opyard.enable(model):
        copied = copying(model)
    with opyard.enable(copied) as handle:
        assert handle.fell_through == []
    assert copied.config._attn_implementation == "sdpa"
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    torch.testing.assert_close(copied(ids).logits, expected, rtol=1e-4, atol=1e-4)
