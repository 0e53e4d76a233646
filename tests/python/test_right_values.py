"""Every declared operator gives what its entry's reference gives: at its workloads and their edges, on every dtype, by
every implementation that serves the call. Rows come from the manifests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import torch
from built_in import built_in

from opyard import _C
from opyard.errors import OpyardError
from opyard.testing import SampleCall, dtypes_of, edge_calls, implementations_serving, sample_calls, wrong_results

# Beyond this a workload is for benchmarks.
MOST_ELEMENTS = 1 << 18

WITH_REFERENCE = [name for name in built_in() if _C.declaration(name)["reference"]]
ROWS = [(name, dtype) for name in WITH_REFERENCE for dtype in dtypes_of(name) or [None]]


def row_id(row: tuple[str, torch.dtype | None]) -> str:
    return "-".join([row[0], *(str(d).removeprefix("torch.") for d in row[1:] if d)])


def elements(call: SampleCall) -> int:
    return sum(t.numel() for t in (*call.args, *call.kwargs.values()))


def full_size_calls(name: str, dtype: torch.dtype | None) -> Iterator[SampleCall]:
    yield from (call for call in sample_calls(name, dtype=dtype, small=False) if elements(call) <= MOST_ELEMENTS)


def assert_all_right(calls: Iterator[SampleCall]) -> None:
    count, wrong = 0, []
    for call in calls:
        count += 1
        try:
            wrong += wrong_results(call, [None, *implementations_serving(call)])
        except (OpyardError, RuntimeError, ArithmeticError) as error:
            wrong.append(f"{call.operator!r} [{call.label}]: {error!r}")
    assert count > 0, "no call could be drawn from the entry's workloads"
    assert not wrong, f"{len(wrong)} results of {count} calls are wrong:\n" + "\n".join(wrong[:12])


@pytest.fixture
def one_thread():
    """Small tensors gain nothing from several, and starting them costs more than the calls."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("row", ROWS, ids=row_id)
def test_samples_and_edges_equal_the_reference(row):
    name, dtype = row
    assert_all_right(itertools.chain(sample_calls(name, dtype=dtype), edge_calls(name, dtype=dtype)))


@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_workloads_equal_the_reference(name):
    assert_all_right(full_size_calls(name, None))


def test_every_builtin_entry_names_a_reference():
    assert [name for name in built_in() if name not in WITH_REFERENCE] == []
