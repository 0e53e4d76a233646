"""Every workload of every declared operator against its reference in torch: rows from the manifests."""

from __future__ import annotations

from typing import Any

import torch
from timing import against, figure, in_turn

from opyard import _C
from opyard.testing import SampleCall, reference_of, sample_calls


def figures() -> list[dict[str, Any]]:
    rows = []
    with torch.no_grad():
        for name in _C.operators():
            if _C.declaration(name)["reference"]:
                rows += [_workload(name, call) for call in sample_calls(name, small=False)]
    return rows


def _workload(name: str, call: SampleCall) -> dict[str, Any]:
    label = f"kernels.{name}.{call.label}"
    run = {"op": lambda: call.operator(*call.args, **call.kwargs)}
    try:
        times = in_turn({**run, "reference": reference_of(call, wide=False)}, rounds=5, seconds=0.005)
    except NotImplementedError:  # torch has no kernel for the reference in this dtype
        return figure(label, min(in_turn(run, rounds=5, seconds=0.005)["op"]) * 1e6, "us")
    return against(label, times["op"], times["reference"], "its reference in torch")
