"""A Llama-type model trains by opyard's operators as by torch's: eager, compiled, and sharded over processes."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

import torch
import training_llama
from training_llama import Llama, OpyardMath, TorchMath

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


@functools.cache
def eager_losses():
    return training_llama.losses(Llama(TorchMath()))


def assert_same(losses):
    torch.testing.assert_close(torch.tensor(losses), torch.tensor(eager_losses()), **TOLERANCE)


def test_the_model_learns():
    assert eager_losses()[-1] < 0.7 * eager_losses()[0]


def test_eager_losses_are_torchs():
    assert_same(training_llama.losses(Llama(OpyardMath())))


def test_compiled_losses_are_torchs():
    torch._dynamo.reset()
    model = Llama(OpyardMath())
    assert_same(training_llama.losses(model, torch.compile(model, fullgraph=True)))


def test_losses_sharded_over_two_processes_are_torchs(tmp_path):
    command = [sys.executable, str(Path(__file__).with_name("training_llama.py"))]
    ranks = [
        subprocess.Popen([*command, str(rank), "2", str(tmp_path / "rendezvous")], stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    texts = [rank.communicate(timeout=300)[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0]
    for text in texts:
        assert_same([float(number) for number in text.split()])
