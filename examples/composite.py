"""An operator made of others: it holds one for each stage, and its record has their calls."""

import torch

import opyard
from opyard.ops import RMSNormFwdOp, SiLUAndMulFwdOp


class NormThenGateFwdOp(opyard.Op):
    spec = {
        "family": "example",
        "signature": {
            "forall": {"M": "Dim", "N": "Dim", "T": "DType[float32 | bfloat16]"},
            "params": {"width": {"type": "int"}, "eps": {"type": "float", "default": 1e-6}},
            "inputs": {"x": {"dtype": "T", "shape": "[M, 2 * N]"}},
            "outputs": {"output": {"dtype": "T", "shape": "[M, N]"}},
            "shape_rules": ["width == 2 * N"],
        },
        "composition": {
            "kind": "composite",
            "stages": {"norm": {"op": "RMSNormFwdOp"}, "gate": {"op": "SiLUAndMulFwdOp"}},
        },
    }
    delegate_types = {"norm": RMSNormFwdOp, "gate": SiLUAndMulFwdOp}

    def __init__(self, width, eps=1e-6, *, target=None):
        self.width, self.eps = width, eps
        super().__init__(target=target)
        # Held from here on, so that the operator compiles cold. Everything was settled now: the identity is None.
        self.delegate_for("norm", None, normalized_shape=[width], eps=eps)
        self.delegate_for("gate", None)

    def forward(self, x):
        norm, gate = self.held_delegates()
        return gate(norm(x))


op = NormThenGateFwdOp(16)
x = torch.randn(4, 16)
normed = torch.nn.functional.rms_norm(x, (16,), eps=1e-6)
torch.testing.assert_close(op(x), torch.nn.functional.silu(normed[:, :8]) * normed[:, 8:])
for stage, calls in op.last_call.stages.items():
    print(stage, [call.implementation for call in calls])
