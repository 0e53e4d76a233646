"""Every operator with a CUDA kernel, on small shapes, by each of its implementations on the device: what a checker of
memory runs."""

from __future__ import annotations

import torch

from opyard import _C
from opyard.testing import implementations_serving, inputs_of, sample_calls

DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def main() -> None:
    calls = 0
    for name in _C.operators():
        if "cuda" not in _C.implementation_keys(name):
            continue
        for dtype in DTYPES:
            for call in sample_calls(name, "cuda", dtype):
                for key in set(implementations_serving(call)) - {"aten"}:
                    _C.run_by(call.operator, inputs_of(call), key)
                    calls += 1
    torch.cuda.synchronize()
    print(f"{calls} calls")
    assert calls > 0


if __name__ == "__main__":
    main()
