"""The first call of RMSNormFwdOp on a GPU, in fresh processes with an empty and with a filled artefact store. JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

_CHILD = """
import time, torch
from opyard.ops import RMSNormFwdOp
x = torch.randn(8, 4096, device="cuda", dtype=torch.bfloat16)
weight = torch.randn(4096, device="cuda", dtype=torch.bfloat16)
torch.nn.functional.rms_norm(x, (4096,), weight, 1e-6)
RMSNormFwdOp(normalized_shape=[8])(torch.randn(8, 8))
op = RMSNormFwdOp(normalized_shape=[4096], eps=1e-6)
torch.cuda.synchronize()
start = time.perf_counter()
op(x, weight)
torch.cuda.synchronize()
print((time.perf_counter() - start) * 1e3)
"""


def first_call_ms(folder: str) -> float:
    environment = {**os.environ, "OPYARD_CACHE_DIR": folder}
    output = subprocess.run([sys.executable, "-c", _CHILD], env=environment, capture_output=True, text=True, check=True)
    return float(output.stdout)


def main() -> None:
    cold, stored = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as parent:
            folder = os.path.join(parent, "store")
            cold.append(first_call_ms(folder))
            stored.append(first_call_ms(folder))
    print(json.dumps({"first_call_ms": {"cold": sorted(cold)[1], "stored": sorted(stored)[1]}}))


if __name__ == "__main__":
    main()
