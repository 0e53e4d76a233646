"""Every operator with a boundary: exported, saved, loaded in a new process, run there with the same result."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from built_in import built_in
from error_text import says

from opyard import _C, ops
from opyard.testing import SampleCall, inputs_of, sample_calls

BOUNDED = [name for name in built_in() if _C.describe(name)["compile_op_names"]]

LOADER = """
import sys, torch, opyard
from pathlib import Path
for path in sorted(Path(sys.argv[1]).glob("*.pt2")):
    args, kwargs = torch.load(path.with_suffix(".inputs"))
    try:
        result = torch.export.load(path).module()(*args, **kwargs)
    except Exception as error:
        result = repr(error)
    torch.save((result, args, kwargs), path.with_suffix(".result"))
"""


class Holder(torch.nn.Module):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def forward(self, *args, **kwargs):
        return self.op(*args, **kwargs)


def load_in_a_new_process(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", LOADER, str(folder)], check=True, timeout=600)


def call_of(name: str):
    return next(call for call in sample_calls(name) if all(t is None or t.numel() for t in inputs_of(call)))


def export(call, folder: Path, name: str) -> None:
    twin = tuple(t.clone() for t in call.args), {key: t.clone() for key, t in call.kwargs.items()}
    torch.save(twin, folder / f"{name}.inputs")
    with torch.no_grad():
        program = torch.export.export(Holder(call.operator), call.args, call.kwargs)
    torch.export.save(program, folder / f"{name}.pt2")


@pytest.fixture(scope="module")
def reloaded(tmp_path_factory):
    """Each operator's error of exporting, or what its reloaded program gave."""
    folder = tmp_path_factory.mktemp("programs")
    errors = {}
    for name in BOUNDED:
        try:
            export(call_of(name), folder, name)
        except Exception as error:  # told by the operator's own test
            errors[name] = error
    load_in_a_new_process(folder)
    return {name: errors[name] if name in errors else torch.load(folder / f"{name}.result") for name in BOUNDED}


@pytest.mark.parametrize("name", BOUNDED)
def test_an_exported_operator_runs_in_a_new_process(name, reloaded):
    assert not isinstance(reloaded[name], Exception), reloaded[name]
    result, args, kwargs = reloaded[name]
    assert not isinstance(result, str), result
    call = call_of(name)
    torch.testing.assert_close(result, call.operator(*call.args, **call.kwargs), equal_nan=True)
    torch.testing.assert_close((args, kwargs), (call.args, call.kwargs), equal_nan=True)


def test_an_instance_that_holds_tensors_says_why_it_cannot_travel(tmp_path):
    rope = ops.LongRoPEFwdOp(rescale_factors=torch.ones(4))
    export(SampleCall(rope, (torch.randn(5, 8),), {}, "held"), tmp_path, "held")
    load_in_a_new_process(tmp_path)
    result = torch.load(tmp_path / "held.result")[0]
    assert re.search(says("LongRoPEFwdOp", "holds objects"), str(result))


def test_a_program_of_another_declaration_is_refused(tmp_path):
    op = ops.RMSNormFwdOp([8])
    program = torch.export.export(Holder(op), (torch.randn(2, 8),))
    digest = op._graph_key.rpartition('"digest":"')[2].rstrip('"}')
    for node in program.graph.nodes:
        node.args = tuple(a.replace(digest, "0" * len(digest)) if isinstance(a, str) else a for a in node.args)
    torch.export.save(program, tmp_path / "changed.pt2")
    torch.save(((torch.randn(2, 8),), {}), tmp_path / "changed.inputs")
    load_in_a_new_process(tmp_path)
    result = torch.load(tmp_path / "changed.result")[0]
    assert re.search(says("RMSNormFwdOp", "made with another declaration"), str(result))
