"""What is not served goes to the model's own forward, and is listed with its reason."""

import pytest
import torch
import transformers

import opyard
from small_models import build, prompts, served

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "rope_theta": 10000.0}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
    "rope_theta": 10000.0,
}
ROPE = "rope_parameters" if transformers.__version__ >= "5" else "rope_scaling"


@pytest.fixture(autouse=True)
def _counts():
    opyard.reset_stats()
    yield
    opyard.disable()


def reasons(handle):
    return {row["reason"] for row in handle.fell_through if row["calls"]}


@pytest.mark.parametrize("scaling", [YARN, LLAMA3, {"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0}])
def test_a_scaled_rope_is_listed_and_the_rest_served(scaling):
    model = build("llama", **{ROPE: scaling})
    ids, _ = prompts()
    with torch.no_grad():
        expected = model(ids).logits
        handle = opyard.enable(model)
        listed = handle.fell_through
        logits = model(ids).logits
    assert [(row["module"], row["calls"]) for row in listed] == [("model.rotary_emb", 0)]
    assert repr(scaling["rope_type"]) in listed[0]["reason"]
    assert [row["calls"] for row in handle.fell_through] == [1]
    assert "RoPENeoxPositionIdsFwdOp" not in served(opyard.stats())
    assert served(opyard.stats())["GQADenseFwdOp"] == model.config.num_hidden_layers
    torch.testing.assert_close(logits, expected, rtol=1e-4, atol=1e-4)


@torch.no_grad()
def test_hooks_on_inner_modules_run():
    model = build("llama")
    ids, _ = prompts()
    seen = []
    with opyard.enable(model) as handle:
        for layer in model.model.layers:
            for module in (layer.self_attn.q_proj, layer.mlp, layer.mlp.down_proj, layer.input_layernorm):
                module.register_forward_hook(lambda module, *_: seen.append(module))
        model(ids)
    assert len(seen) == 8
    assert any("hooks" in reason for reason in reasons(handle))


@torch.no_grad()
def test_a_module_replaced_after_enabling_is_called():
    model = build("llama")
    ids, _ = prompts()

    class Zero(torch.nn.Linear):
        def forward(self, x):
            return torch.zeros(*x.shape[:-1], self.out_features)

    with opyard.enable(model) as handle:
        for layer in model.model.layers:
            layer.self_attn.o_proj = Zero(64, 64)
            layer.mlp.down_proj = Zero(96, 64)
        logits = model(ids).logits
    expected = model.lm_head(model.model.norm(model.model.embed_tokens(ids)))
    torch.testing.assert_close(logits, expected)
    assert any("replaced" in reason for reason in reasons(handle))


@torch.no_grad()
def test_a_forward_exchanged_by_someone_else_is_called_and_listed():
    model = build("llama")
    ids, _ = prompts()
    mlp = model.model.layers[0].mlp
    mlp.forward = lambda x: x * 0
    expected = model(ids).logits
    with opyard.enable(model) as handle:
        torch.testing.assert_close(model(ids).logits, expected, rtol=1e-4, atol=1e-4)
    assert [row["module"] for row in handle.fell_through] == ["model.layers.0.mlp"]
    assert mlp.forward(torch.ones(1)) == 0


@torch.no_grad()
def test_recorded_attentions_and_hidden_states_are_eager_ones():
    model = build("llama", attn_implementation="eager")
    ids, mask = prompts()
    arguments = {"attention_mask": mask, "output_attentions": True, "output_hidden_states": True}
    expected = model(ids, **arguments)
    with opyard.enable(model):
        output = model(ids, **arguments)
    rows = mask.bool()
    for got, want in zip(output.hidden_states, expected.hidden_states, strict=True):
        torch.testing.assert_close(got[rows], want[rows], rtol=1e-4, atol=1e-4)


@torch.no_grad()
def test_positions_beyond_the_table_are_rotated_by_the_model():
    model = build("llama")
    ids, _ = prompts()
    positions = torch.arange(60, 69)[None]
    expected = model(ids, position_ids=positions).logits
    with opyard.enable(model) as handle:
        torch.testing.assert_close(model(ids, position_ids=positions).logits, expected, rtol=1e-4, atol=1e-4)
    assert any("max_position_embeddings" in reason for reason in reasons(handle))


@torch.no_grad()
@pytest.mark.parametrize("change", ["autocast", "double"])
def test_types_without_an_implementation_are_the_models_own(change):
    model = build("llama", torch.float64 if change == "double" else torch.float32)
    ids, _ = prompts()
    with torch.autocast("cpu", torch.bfloat16, enabled=change == "autocast"):
        expected = model(ids).logits
        with opyard.enable(model) as handle:
            logits = model(ids).logits
    torch.testing.assert_close(logits, expected, rtol=2e-2, atol=2e-2)
    assert reasons(handle)
