"""Overrides under torch.export: opaque operators where conditions hold, aten everywhere else."""

import logging

import pytest
import torch
from exported_adds import INPUTS, Adds, decomposed, register, seven, targets
from torch._subclasses.fake_tensor import FakeTensor

import opyard

requirement = pytest.mark.requirement


pytestmark = pytest.mark.usefixtures("no_overrides_after", "no_graphs_after")


@requirement("N20", "N21")
def test_export_keeps_aten_and_does_not_meet_the_router():
    with opyard.override("aten::add.Tensor", "CPU", impl=seven) as handle:
        assert targets(torch.export.export(Adds(), INPUTS)) == ["aten.add.Tensor"]
        assert handle.hits + handle.falls == 0


@requirement("N22", "N26")
def test_decomposing_puts_the_opaque_operator_where_the_condition_holds():
    name = register(cond=lambda x, y: x.dtype == torch.float32)
    program = decomposed()
    assert targets(program) == [f"opyard_native.{name}.default"]
    assert program.module()(*INPUTS).tolist() == [7, 7, 7]
    doubles = tuple(x.double() for x in INPUTS)
    assert targets(decomposed(inputs=doubles)) == ["aten.add.Tensor"]


@pytest.mark.parametrize("when", [{"dtype": "float32", "ndim": 1, "size": {0: {"max": 4}}}, "self.shape[0] * 2 == 6"])
@requirement("N22", "N29")
def test_conditions_as_data_and_text_hold_for_fake_tensors_too(when):
    with opyard.override("aten::add.Tensor", "CPU", when=when, impl=seven) as handle:
        assert targets(decomposed()) == [f"opyard_native.{handle.name}.default"]
        assert targets(decomposed(inputs=(torch.ones(5), torch.ones(5)))) == ["aten.add.Tensor"]


@requirement("N29")
def test_conditions_see_fake_tensors():
    seen = []
    register(cond=lambda x, y: seen.append(type(x)) or False)
    decomposed()
    assert set(seen) == {FakeTensor}


@requirement("N31", "N70")
def test_a_condition_that_raises_while_tracing_is_no_match_and_is_logged(caplog):
    later = register()
    register(cond=lambda x, y: x.sum().item() > 0)
    with caplog.at_level(logging.INFO, "opyard.native"):
        assert targets(decomposed()) == [f"opyard_native.{later}.default"]
    assert {(r.name, r.levelno) for r in caplog.records if "raised" in r.message} == {
        ("opyard.native.decompositions", logging.INFO)
    }


@requirement("N26")
def test_ids_are_never_used_twice():
    names = []
    for _ in range(3):
        with opyard.override("aten::relu", "CPU", impl=seven) as handle:
            names.append(handle.name)
    assert len(set(names)) == 3


@requirement("N34")
def test_graphs_see_the_functional_form():
    class InPlace(torch.nn.Module):
        def forward(self, x):
            return x.clone().add_(x)

    with opyard.override("aten::add_.Tensor", "CPU", impl=lambda x, *_: x.fill_(7)):
        assert all("native" not in target for target in targets(decomposed(InPlace(), (torch.ones(3),))))
    with opyard.override("aten::add.Tensor", "CPU", impl=seven) as handle:
        assert f"opyard_native.{handle.name}.default" in targets(decomposed(InPlace(), (torch.ones(3),)))
