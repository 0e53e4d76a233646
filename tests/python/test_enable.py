"""An enabled model gives eager's answers, by the operators."""

import pytest
import torch
import transformers

import opyard
from small_models import CONFIGURATIONS, build, prompts, served

TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.35, torch.float16: 0.05}

OPERATORS = ("RMSNormFwdOp", "RoPENeoxPositionIdsFwdOp", "SiLUAndMulFwdOp", "GEMMFwdOp", "GQADenseFwdOp")


@pytest.fixture(autouse=True)
def _no_gradient():
    with torch.no_grad():
        opyard.reset_stats()
        yield
        opyard.disable()


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
def test_left_padded_batch_gives_eager_logits(name, implementation):
    model = build(name, attn_implementation=implementation)
    ids, mask = prompts()
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    expected = model(ids, attention_mask=mask, position_ids=positions).logits
    with opyard.enable(model) as handle:
        logits = model(ids, attention_mask=mask, position_ids=positions).logits
    attended = mask.bool()
    torch.testing.assert_close(logits[attended], expected[attended], rtol=1e-3, atol=1e-3)
    assert torch.equal(logits[attended].argmax(-1), expected[attended].argmax(-1))
    assert handle.fell_through == []


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_every_operator_serves_every_layer(name):
    model = build(name)
    with opyard.enable(model):
        model(prompts()[0])
    calls = served(opyard.stats())
    layers = model.config.num_hidden_layers
    qwen3 = name.startswith("qwen3")
    assert {operator: calls.get(operator, 0) for operator in OPERATORS} == {
        "RMSNormFwdOp": (4 if qwen3 else 2) * layers + 1,
        "RoPENeoxPositionIdsFwdOp": (2 if qwen3 else 1) * layers,
        "SiLUAndMulFwdOp": layers,
        "GEMMFwdOp": 4 * layers + 1,  # and the head, as aten::mm gives it
        "GQADenseFwdOp": layers,
    }
    assert calls["aten::mm"] == 1


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_generation_with_a_cache_gives_the_same_tokens(name):
    model = build(name)
    ids, mask = prompts()
    arguments = {"attention_mask": mask, "max_new_tokens": 12, "do_sample": False, "pad_token_id": 0}
    expected = model.generate(ids, **arguments)
    with opyard.enable(model):
        tokens = model.generate(ids, **arguments)
    assert torch.equal(tokens, expected)


@pytest.mark.parametrize("name", ["llama", "qwen3"])
def test_static_cache_gives_the_same_tokens(name):
    model = build(name)
    ids, _ = prompts()
    arguments = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0, "cache_implementation": "static"}
    arguments["disable_compile"] = True
    expected = model.generate(ids, **arguments)
    with opyard.enable(model):
        tokens = model.generate(ids, **arguments)
    assert torch.equal(tokens, expected)


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("name", ["llama", "llama-biases", "qwen2", "qwen3"])
def test_logits_are_near_eager_in_every_dtype(name, dtype):
    # From float32 weights of that dtype's values: eager's own rounding in 16 bits is no reference.
    model = build(name, dtype)
    ids, _ = prompts()
    expected = build(name, dtype).float()(ids).logits
    with opyard.enable(model):
        logits = model(ids).logits
    assert logits.dtype is dtype
    torch.testing.assert_close(logits.float(), expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("freeze", [None, True, False])
def test_every_kind_of_freezing_gives_the_same_logits(freeze):
    model = build("llama-biases")
    ids, _ = prompts()
    expected = model(ids).logits
    with opyard.enable(model, freeze=freeze):
        torch.testing.assert_close(model(ids).logits, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("write", ["in place", "through data", "new data", "new parameter"])
def test_a_changed_weight_changes_the_answer(write):
    model, other = build("llama"), build("llama")
    ids, _ = prompts()
    with opyard.enable(model):
        model(ids)
        for changed in (model, other):
            for linear in (changed.model.layers[0].mlp.gate_proj, changed.model.layers[1].self_attn.k_proj):
                if write == "in place":
                    linear.weight.mul_(-1)
                elif write == "through data":
                    linear.weight.data.mul_(-1)
                elif write == "new data":
                    linear.weight.data = -linear.weight.data
                else:
                    linear.weight = torch.nn.Parameter(-linear.weight)
        torch.testing.assert_close(model(ids).logits, other(ids).logits, rtol=1e-4, atol=1e-4)


def test_a_model_cast_after_enabling_is_served_in_its_new_dtype():
    model = build("llama")
    ids, _ = prompts()
    expected = build("llama").to(torch.bfloat16).float()(ids).logits
    with opyard.enable(model):
        logits = model.to(torch.bfloat16)(ids).logits
    assert logits.dtype is torch.bfloat16
    assert served(opyard.stats())["GQADenseFwdOp"] == model.config.num_hidden_layers
    torch.testing.assert_close(logits.float(), expected, rtol=0.35, atol=0.35)


def test_another_model_of_the_same_configuration_is_left_alone():
    model = build("llama")
    other = transformers.LlamaForCausalLM(model.config).eval()
    ids, _ = prompts()
    expected = other(ids).logits
    with opyard.enable(model):
        logits = other(ids).logits
    assert torch.allclose(logits, expected, atol=1e-6)
    assert not {"GQADenseFwdOp", "RMSNormFwdOp"} & served(opyard.stats()).keys()


def test_a_bias_added_after_enable_counts():
    model = build("llama")
    ids = prompts()[0]
    with opyard.enable(model), torch.no_grad():
        gate = model.model.layers[0].mlp.gate_proj
        gate.bias = torch.nn.Parameter(torch.ones(gate.out_features))
        served_logits = model(ids).logits
    with torch.no_grad():
        torch.testing.assert_close(served_logits, model(ids).logits, rtol=1e-4, atol=1e-4)
