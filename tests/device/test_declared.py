"""Every operator gives on the GPU what its reference gives, by each implementation there; those with a CUDA kernel of
their own at the edges of their workloads too. Rows come from the manifests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import torch

from opyard import _C
from opyard.errors import OpyardError
from opyard.testing import SampleCall, dtypes_of, edge_calls, implementations_serving, sample_calls, wrong_results

DTYPES = (torch.float32, torch.bfloat16, torch.float16)
ON_GPU = [name for name in _C.operators() if _C.declaration(name)["reference"] and _C.describe(name)["inputs"]]
WITH_KERNEL = [name for name in ON_GPU if "cuda" in _C.implementation_keys(name)]
ROWS = [(name, dtype) for name in WITH_KERNEL for dtype in dtypes_of(name) if dtype in DTYPES]


def assert_right_by(key: str, calls: Iterator[SampleCall]) -> None:
    served, wrong = 0, []
    for call in calls:
        if key not in implementations_serving(call):
            continue
        served += 1
        try:
            wrong += wrong_results(call, [key])
        except (OpyardError, RuntimeError) as error:
            wrong.append(f"{call.operator!r} [{call.label}]: {error!r}")
    assert served > 0, f"no call was served by {key}"
    assert not wrong, f"{len(wrong)} wrong results of {served} calls:\n" + "\n".join(wrong[:12])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{str(row[1]).removeprefix('torch.')}")
def test_kernels_equal_the_reference_at_samples_and_edges(row: tuple[str, torch.dtype]) -> None:
    name, dtype = row
    samples = sample_calls(name, "cuda", dtype, small=False)
    assert_right_by("cuda", itertools.chain(samples, edge_calls(name, "cuda", dtype)))


@pytest.mark.parametrize("name", [name for name in ON_GPU if "aten" in _C.implementation_keys(name)])
def test_aten_equals_the_reference(name: str) -> None:
    assert_right_by("aten", sample_calls(name, "cuda"))
