"""Fills the artefact store with what tests/device launches in each language, where the languages are installed: a
machine with a GPU and none of them then takes the store. Argument: an architecture, such as sm_90a."""

from __future__ import annotations

import itertools
import sys

import torch

import opyard
from opyard.ops import RMSNormFwdOp

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
# Those of the tests, and of rows.py.
COLUMNS = (256, 1024, 2048, 4096, 8192, 16384)
LANGUAGES = ("triton", "tilelang", "cute")


def main(arch: str) -> None:
    device = torch.device("cuda", 0)
    for language, columns, dtype, weighted in itertools.product(LANGUAGES, COLUMNS, DTYPES, (True, False)):
        if dtype is not torch.bfloat16 and columns not in (1024, 4096):
            continue
        weight = opyard.TensorSpec(device, dtype, (columns,)) if weighted else None
        with opyard.use(op="RMSNormFwdOp", implementation=language):
            op = RMSNormFwdOp(normalized_shape=[columns], eps=1e-6)
            op.warmup(opyard.TensorSpec(device, dtype, (8, columns)), weight, arch=arch)
        print(language, columns, dtype, "weighted" if weighted else "", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
