"""Mixtures of experts as composites: their stages, what is injected, and what compiles."""

from __future__ import annotations

import pytest
import torch

from opyard import ops
from opyard.errors import SignatureValueError
from opyard.testing.reference.experts import fused_moe, fused_moe_experts
from opyard.testing.reference.routing import fused_topk

T, H, F, E = 6, 32, 24, 8
ROUTING = {
    "top_k": 2,
    "scoring_func": "softmax",
    "renormalize": True,
    "num_expert_group": 1,
    "topk_group": 1,
    "routed_scaling_factor": 1.5,
}


def weights(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, ...]:
    shapes = ((T, H), (E, 2 * F, H), (E, H, F))
    hidden, gate_up, down = (torch.randn(shape).mul(0.3).to(dtype) for shape in shapes)
    return hidden, torch.randn(T, E), gate_up, down


def test_the_stages_are_the_sub_operators_calls():
    op = ops.FusedMoEFwdOp(**ROUTING)
    inputs = weights()
    torch.testing.assert_close(op(*inputs), fused_moe(*inputs, None, activation="silu_and_mul", **ROUTING))
    stages = op.last_call.stages
    assert list(stages) == ["route_select", "routed_experts"]
    assert [calls[0].operator for calls in stages.values()] == ["FusedTopKFwdOp", "FusedMoEExpertsFwdOp"]
    assert [type(held).__name__ for held in op.held_delegates()] == ["FusedTopKFwdOp", "FusedMoEExpertsFwdOp"]
    assert ops.FusedMoEFwdOp.compile_op_names == ()


def test_a_composite_compiles_with_its_sub_operators_as_nodes():
    op, inputs = ops.FusedMoEFwdOp(**ROUTING), weights()
    torch.testing.assert_close(torch.compile(op, fullgraph=True)(*inputs), op(*inputs))


def test_the_activation_is_that_of_the_injected_experts():
    experts = ops.FusedMoEExpertsFwdOp(activation="gelu_and_mul")
    op, inputs = ops.FusedMoEFwdOp(**ROUTING, experts=experts), weights()
    assert op.activation == "gelu_and_mul"
    assert op.held_delegates()[1] is experts
    torch.testing.assert_close(op(*inputs), fused_moe(*inputs, None, activation="gelu_and_mul", **ROUTING))


class Halves:
    """Stands for a move of tokens to other processes: only the first half is computed."""

    def prepare(self, hidden_states, topk_weights, topk_ids):
        return tuple(tensor[: T // 2] for tensor in (hidden_states, topk_weights, topk_ids))

    def finalize(self, output):
        return torch.cat([output, torch.zeros_like(output)])


def test_injected_movers_see_the_tokens_between_the_stages():
    inputs = weights()
    moved = ops.FusedMoEFwdOp(**ROUTING, prepare_finalize=Halves())(*inputs)
    whole = ops.FusedMoEFwdOp(**ROUTING)(*inputs)
    torch.testing.assert_close(moved[: T // 2], whole[: T // 2])
    assert not moved[T // 2 :].any()


@pytest.mark.parametrize("tp_size", [1, 2, 4])
def test_the_ranks_parts_of_the_shared_expert_add_up(tp_size):
    inputs, shared = weights(), (torch.randn(2 * 16, H), torch.randn(H, 16))
    parts = [
        ops.FusedMoESharedExpertFwdOp(**ROUTING, tp_size=tp_size, tp_rank=rank)(*inputs, None, *shared)
        for rank in range(tp_size)
    ]
    gate, up = torch.nn.functional.linear(inputs[0], shared[0]).chunk(2, -1)
    expected = torch.nn.functional.linear(torch.nn.functional.silu(gate) * up, shared[1])
    torch.testing.assert_close(sum(part[0] for part in parts), expected)
    torch.testing.assert_close(parts[0][1], ops.FusedMoEFwdOp(**ROUTING)(*inputs))


def test_without_a_shared_expert_its_output_is_none():
    op = ops.FusedMoESharedExpertFwdOp(**ROUTING)
    shared, _ = op(*weights())
    assert shared is None
    assert list(op.last_call.stages.items())[2:] in ([], [("shared_expert", ())])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_experts_on_views(dtype):
    hidden, gating, gate_up, down = weights(dtype)
    scores, ids = fused_topk(gating, None, **ROUTING)
    op = ops.FusedMoEExpertsFwdOp()
    strided = [x.transpose(-1, -2).contiguous().transpose(-1, -2) for x in (hidden, gate_up, down)]
    expected = fused_moe_experts(
        *(x.double() for x in (hidden, gate_up, down)), scores, ids, None, None, 1.0, "silu_and_mul"
    )
    tolerance = {torch.float32: 1e-4, torch.float64: 1e-6}.get(dtype, 3e-2)
    for x in ((hidden, gate_up, down), strided):
        torch.testing.assert_close(op(*x, scores, ids).double(), expected, rtol=tolerance, atol=tolerance)


def test_an_expert_that_there_is_not_is_refused():
    hidden, gating, gate_up, down = weights()
    scores, ids = fused_topk(gating, None, **ROUTING)
    with pytest.raises(SignatureValueError, match="an expert that there is not"):
        ops.FusedMoEExpertsFwdOp()(hidden, gate_up, down, scores, ids + E)


def test_of_equal_scores_the_first_expert_is_chosen():
    chosen, ids = ops.FusedTopKFwdOp(top_k=3)(torch.zeros(2, 8))
    assert ids.tolist() == [[0, 1, 2]] * 2
    torch.testing.assert_close(chosen, torch.full((2, 3), 1 / 8))
