"""`opyard.override`: what it serves, what falls through, and that all of it can be taken back."""

import pytest
import torch

import opyard

requirement = pytest.mark.requirement


@pytest.fixture(autouse=True)
def _nothing_stays():
    yield
    assert opyard.overrides() == []


def seven(x, *_args, **_kwargs):
    return torch.full_like(x, 7)


X = torch.tensor([[-1.0, 2.0]])
WHENS = {
    "none": None,
    "data": {"dtype": ["float32", "bfloat16"], "ndim": [2, 3]},
    "size": {"size": {-1: {"multiple_of": 2}, 0: 1}, "numel": {"min": 1, "max": 8}, "contiguous": True},
    "argument": {"self": {"ndim": 2}},
    "text": "self.dtype == float32 and self.shape[-1] == 2",
    "callable": lambda x: x.ndim == 2,
}
FALSE = {name: when for name, when in WHENS.items() if when} | {
    "capability": {"capability": (9, 0)},
    "capability_text": "capability(self) >= 90",
}


@pytest.mark.parametrize("when", WHENS.values(), ids=WHENS)
@requirement("N3")
def test_a_condition_that_holds_sends_the_call_to_the_implementation(when):
    with opyard.override("aten::relu", "CPU", when=when, impl=seven) as handle:
        assert torch.relu(X).tolist() == [[7, 7]]
        assert (handle.hits, handle.falls) == (1, 0)
    assert torch.relu(X).tolist() == [[0, 2]]


@pytest.mark.parametrize("when", FALSE.values(), ids=FALSE)
@requirement("N3", "N14")
def test_a_condition_that_does_not_hold_leaves_the_call_to_the_original(when):
    other = torch.tensor([[-1.0, 2.0, 3.0]], dtype=torch.float64).t()[1:].unsqueeze(0).unsqueeze(0)
    want = torch.relu(other)
    with opyard.override("aten::relu", "CPU", when=when, impl=seven) as handle:
        got = torch.relu(other)
        assert (handle.hits, handle.falls) == (0, 1)
    assert torch.equal(got, want)
    assert got.stride() == want.stride()


@requirement("N1")
def test_functions_methods_operators_and_modules_meet_it():
    callers = [torch.relu, torch.Tensor.relu, torch.ops.aten.relu, torch.ops.aten.relu.default, torch.nn.ReLU()]
    with opyard.override("aten::relu", "CPU", impl=seven) as handle:
        assert [call(X).tolist() for call in callers] == [[[7, 7]]] * len(callers)
        assert handle.hits == len(callers)


@requirement("N34")
def test_functional_in_place_and_out_forms_are_covered_together():
    with opyard.override("aten::add.Tensor", "CPU", impl=seven) as handle:
        x, out = X.clone(), torch.empty(0)
        assert (x + 1.0).tolist() == [[7, 7]]
        assert x.add_(X) is x
        assert x.tolist() == [[7, 7]]
        assert torch.add(X, X, out=out) is out
        assert out.tolist() == [[7, 7]]
        assert handle.hits == 3
    with opyard.override("aten::add.Tensor", "CPU", impl=seven, all_forms=False):
        assert X.clone().add_(X).tolist() == [[-2, 4]]


@requirement("N5")
def test_arguments_arrive_as_torch_library_passes_them():
    seen = []

    def record(*args, **kwargs):
        seen.append((args, kwargs))
        return NotImplemented

    with opyard.override("aten::add.Tensor", "CPU", impl=record):
        torch.add(X, X)
        torch.add(X, X, alpha=2)
    assert [(len(args), kwargs) for args, kwargs in seen] == [(2, {}), (2, {"alpha": 2})]
    seen.clear()
    with opyard.override("aten::_to_copy", "CPU", impl=record):
        torch.ops.aten._to_copy(X, dtype=torch.float64, memory_format=torch.contiguous_format)
    assert seen[0][1] == {"dtype": torch.float64, "memory_format": torch.contiguous_format}


@requirement("N17", "N58", "N65")
def test_the_last_registered_is_tried_first_and_the_first_that_holds_ends_it():
    asked = []

    def asks(name, answer):
        return lambda x: asked.append(name) or answer

    with (
        opyard.override("aten::relu", "CPU", when=asks("a", True), impl=seven),
        opyard.override("aten::relu", "CPU", when=asks("b", True), impl=seven),
        opyard.override("aten::relu", "CPU", when=asks("c", False), impl=seven),
    ):
        torch.relu(X)
    assert asked == ["c", "b"]


@requirement("N18")
def test_a_condition_that_raises_is_an_error_that_names_the_override():
    def broken(x):
        raise LookupError("no such thing")

    with opyard.override("aten::relu", "CPU", when=broken, impl=seven) as handle:
        with pytest.raises(opyard.errors.ConditionError, match="no such thing") as caught:
            torch.relu(X)
        assert handle.name in str(caught.value)
        assert isinstance(caught.value.__cause__, LookupError)
    with (
        opyard.override("aten::relu", "CPU", when="self.shape[4] == 1", impl=seven),
        pytest.raises(opyard.errors.ContractError, match=r"self.shape\[4\] == 1"),
    ):
        torch.relu(X)


@requirement("N19")
def test_what_an_implementation_raises_reaches_the_caller():
    def broken(x):
        raise KeyError("mine")

    with opyard.override("aten::relu", "CPU", impl=broken), pytest.raises(KeyError, match="mine"):
        torch.relu(X)


@requirement("N19", "N12")
def test_an_implementation_that_cannot_start_is_passed_over_with_one_warning():
    with opyard.override("aten::relu", "CPU", impl="a_module_that_is_not_there:kernel"):
        with pytest.warns(RuntimeWarning, match="a_module_that_is_not_there") as caught:
            assert torch.relu(X).tolist() == [[0, 2]]
        assert sum("a_module_that_is_not_there" in str(warning.message) for warning in caught) == 1
        assert torch.relu(X).tolist() == [[0, 2]]
        reasons = [row.last_reason for row in opyard.overrides() if row.operator == "aten::relu"]
        assert reasons == ["its implementation cannot start"]
