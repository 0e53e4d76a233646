"""Functions of a row on a GPU: bandwidth against a copy, eager torch, inductor and Liger, and the host's cost. JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import torch
from peers import Case, cases
from timing import host_microseconds, terabytes

import opyard
from opyard.errors import OpyardError
from opyard.ops import RMSNormFwdOp

SHAPES = [(32768, 256), (32768, 1024), (32768, 2048), (32768, 4096), (16384, 8192), (8192, 16384)]
# Beside the implementation that is selected, for the one operator that has them.
LANGUAGES = ("triton", "tilelang", "cute")


def bandwidths(case: Case, rows: int, columns: int) -> dict[str, float]:
    arguments = case.arguments(rows, columns)
    x, y = arguments[0], torch.empty_like(arguments[0])
    moved = case.tensors_moved * x.numel() * x.element_size()
    figures = {"copy": terabytes(lambda: y.copy_(x), 2 * x.numel() * x.element_size())}
    op = case.operator(columns)
    figures["opyard"] = terabytes(lambda: op(*arguments), moved)
    for name, call in case.peers(columns, arguments).items():
        figures[name] = terabytes(call, moved)
    for language in LANGUAGES if case.name == "rms_norm" else ():
        try:
            with opyard.use(op="RMSNormFwdOp", implementation=language):
                forced = RMSNormFwdOp(normalized_shape=[columns], eps=1e-6)
                figures[language] = terabytes(lambda op=forced: op(*arguments), moved)
        except OpyardError as error:
            print(f"{language} {columns}: {str(error).splitlines()[0]}", file=sys.stderr)
    return figures


def host() -> dict[str, float]:
    x = torch.randn(8, 4096, device="cuda", dtype=torch.bfloat16)
    weight = torch.randn(4096, device="cuda", dtype=torch.bfloat16)
    op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
    calls: dict[str, Callable[[], Any]] = {
        "opyard": lambda: op(x, weight),
        "empty_like": lambda: torch.empty_like(x),
        "rms_norm": lambda: torch.nn.functional.rms_norm(x, (4096,), weight, 1e-6),
        "relu": lambda: torch.relu(x),
        "bare_launch": lambda: torch.cuda._sleep(0),
    }
    return {name: host_microseconds(call) for name, call in calls.items()}


def main() -> None:
    figures: dict[str, Any] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    with torch.no_grad():
        for case in cases():
            table = []
            for rows, columns in SHAPES:
                row = bandwidths(case, rows, columns)
                table.append({"rows": rows, "columns": columns, "tb_per_s": row})
                shown = {name: round(value, 2) for name, value in row.items()}
                print(case.name, rows, columns, shown, file=sys.stderr, flush=True)
            figures[f"{case.name}_bfloat16"] = table
        figures["host_us"] = host()
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
