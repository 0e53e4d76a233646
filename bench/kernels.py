"""Operators at a small language model's shapes, against eager torch in the same run."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from timing import against, in_turn

from opyard.ops import GEMMFwdOp, GQADenseFwdOp, RMSNormFwdOp, SiLUAndMulFwdOp

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
ROWS = {"decode": 1, "prefill": 42}
PRODUCTS = [(960, 576), (576, 576), (3072, 576), (576, 1536), (49152, 576)]


def figures() -> list[dict[str, Any]]:
    rows = []
    with torch.no_grad():
        for dtype_name, dtype in DTYPES.items():
            for phase, m in ROWS.items():
                suffix = f"{phase}.{dtype_name}"
                rows += [_norm(m, dtype, suffix), _gate(m, dtype, suffix), _attention(m, dtype, suffix)]
                rows += [_product(m, n, k, dtype, suffix) for n, k in PRODUCTS]
    return rows


def _norm(m: int, dtype: torch.dtype, suffix: str) -> dict[str, Any]:
    x, weight = torch.randn(m, 576).to(dtype), torch.randn(576).to(dtype)
    op = RMSNormFwdOp(normalized_shape=[576], eps=1e-5)
    times = in_turn({"op": lambda: op(x, weight), "torch": lambda: F.rms_norm(x, (576,), weight, 1e-5)})
    return against(f"rms_norm.{suffix}_us", times["op"], times["torch"], "F.rms_norm")


def _gate(m: int, dtype: torch.dtype, suffix: str) -> dict[str, Any]:
    x = torch.randn(m, 3072).to(dtype)
    op = SiLUAndMulFwdOp()
    times = in_turn({"op": lambda: op(x), "torch": lambda: F.silu(x[:, :1536]) * x[:, 1536:]})
    return against(f"silu_and_mul.{suffix}_us", times["op"], times["torch"], "F.silu(g) * u")


def _attention(m: int, dtype: torch.dtype, suffix: str) -> dict[str, Any]:
    length = 128 if m == 1 else m
    q = torch.randn(1, 9, m, 64).to(dtype)
    k, v = (torch.randn(1, 3, length, 64).to(dtype) for _ in range(2))
    q_rows, k_rows, v_rows = (t.transpose(1, 2) for t in (q, k, v))
    causal = m > 1
    op = GQADenseFwdOp(is_causal=causal)
    times = in_turn(
        {
            "op": lambda: op(q_rows, k_rows, v_rows),
            "torch": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True),
        }
    )
    return against(f"gqa_dense.{suffix}_us", times["op"], times["torch"], "F.scaled_dot_product_attention")


def _product(m: int, n: int, k: int, dtype: torch.dtype, suffix: str) -> dict[str, Any]:
    x, weight = torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype)
    op = GEMMFwdOp()
    times = in_turn({"op": lambda: op(x, weight), "torch": lambda: F.linear(x, weight)}, rounds=7)
    return against(f"gemm.{n}x{k}.{suffix}_us", times["op"], times["torch"], "F.linear")
