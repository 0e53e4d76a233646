"""Writing operators, recursion, gradients, other keys and what is refused."""

import pytest
import torch

import opyard

requirement = pytest.mark.requirement
X = torch.tensor([-1.0, 2.0])


def seven(x, *_args, **_kwargs):
    return torch.full_like(x, 7)


def write_seven(x, *_args, **_kwargs):
    return x.fill_(7)


@requirement("N32")
def test_an_in_place_operator_is_overridden_by_one_that_writes_and_returns_its_input():
    x = X.clone()
    with opyard.override("aten::add_.Tensor", "CPU", impl=write_seven):
        result = x.add_(X)
    assert result is x
    assert x.tolist() == [7, 7]


@requirement("N36")
def test_an_in_place_implementation_that_returns_another_tensor_is_an_error():
    with (
        opyard.override("aten::add_.Tensor", "CPU", impl=seven) as handle,
        pytest.raises(opyard.errors.ContractError, match="'self' itself") as caught,
    ):
        X.clone().add_(X)
    assert handle.name in str(caught.value)


@requirement("N33")
def test_an_implementation_that_calls_its_own_operator_comes_back_into_the_router():
    def halves(x, other):
        return x * 2 if x.numel() == 1 else torch.cat([torch.mul(part, other) for part in x.split(1)])

    with opyard.override("aten::mul.Tensor", "CPU", when=lambda x, o: x.numel() > 1, impl=halves, all_forms=False) as h:
        assert torch.mul(X, torch.tensor(3.0)).tolist() == [-3, 6]
        assert (h.hits, h.falls) == (1, 2)


@requirement("N33")
def test_a_write_through_another_operator_does_not_come_back():
    with opyard.override("aten::add_.Tensor", "CPU", impl=lambda x, o: x.copy_(x.neg())) as handle:
        assert X.clone().add_(X).tolist() == [1, -2]
        assert handle.hits == 1


@requirement("N35")
def test_endless_recursion_is_a_recursion_error_that_names_the_override():
    with opyard.override("aten::relu", "CPU", impl=lambda x: torch.relu(x)) as handle:
        with pytest.raises(RecursionError) as caught:
            torch.relu(X)
        assert handle.name in str(caught.value)
    assert torch.relu(X).tolist() == [0, 2]


@requirement("N15")
def test_a_backward_formula_that_calls_the_operator_again_ends():
    a = torch.randn(2, 3, 4, requires_grad=True)
    b = torch.randn(2, 4, 5, requires_grad=True)
    torch.bmm(a, b).sum().backward()
    want = a.grad.clone(), b.grad.clone()
    a.grad = b.grad = None
    with opyard.override("aten::bmm", "CPU", when=lambda x, y: False, impl=seven) as handle:
        torch.bmm(a, b).sum().backward()
        assert (handle.hits, handle.falls) == (0, 3)
    assert torch.equal(a.grad, want[0])
    assert torch.equal(b.grad, want[1])


def test_gradients_are_those_of_the_operator():
    x = torch.randn(3, dtype=torch.float64, requires_grad=True)
    with opyard.override("aten::silu", "CPU", impl=lambda x: x * torch.sigmoid(x)):
        assert torch.autograd.gradcheck(torch.nn.functional.silu, [x])
        assert torch.autograd.gradcheck(lambda t: torch.nn.functional.silu(t * 1, inplace=True), [x])


def test_vmap_and_autocast_meet_it():
    with opyard.override("aten::relu", "CPU", impl=seven) as handle:
        assert torch.vmap(torch.relu)(X.view(2, 1)).tolist() == [[7], [7]]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.relu(X).tolist() == [7, 7]
        assert handle.hits == 2


def test_a_result_of_another_type_is_an_error_that_names_the_override():
    with opyard.override("aten::relu", "CPU", impl=lambda x: "seven") as handle, pytest.raises(TypeError) as caught:
        torch.relu(X)
    assert handle.name in str(caught.value)
    assert "str" in str(caught.value)


def test_a_tuple_of_results_is_served():
    def both(x, dim, keepdim=False):
        return torch.full((2,), 7.0), torch.zeros(2, dtype=torch.int64)

    with opyard.override("aten::max.dim", "CPU", impl=both):
        values, indices = torch.max(torch.ones(2, 3), 1)
    assert values.tolist() == [7, 7]
    assert indices.tolist() == [0, 0]
    with (
        opyard.override("aten::aminmax", "CPU", impl=lambda x, **_: (x, x, x), all_forms=False),
        pytest.raises(opyard.errors.ContractError, match="2 results"),
    ):
        torch.aminmax(X)


@requirement("N13", "N48")
def test_an_override_serves_its_dispatch_key_alone():
    sparse = torch.tensor([0.0, -2.0]).to_sparse()
    with opyard.override("aten::neg", "SparseCPU", impl=lambda x: x):
        assert torch.neg(sparse).to_dense().tolist() == [0, -2]
        assert torch.neg(X).tolist() == [1, -2]
    with opyard.override("aten::neg", "CUDA", impl=seven):
        assert torch.neg(X).tolist() == [1, -2]


REFUSED = [
    ("aten::relu", "Meta", "infers shapes"),
    ("aten::relu", "CompositeImplicitAutograd", "many backends"),
    ("aten::relu", "AutogradCPU", "above the backends"),
    ("aten::relu", "GPU", "torch lacks"),
    ("aten::softmax.int", "CPU", "composite"),
    ("aten::rellu", "CPU", "did you mean"),
]


@pytest.mark.parametrize(("op", "key", "reason"), REFUSED)
@requirement("N2", "N6")
def test_what_cannot_work_is_refused_at_once(op, key, reason):
    with pytest.raises(ValueError, match=reason):
        opyard.override(op, key, impl=seven)


@pytest.mark.parametrize("when", [{"rank": 2}, {"weight": {"ndim": 2}}, {"dtype": "half8"}, "other.ndim == 1", "self."])
def test_a_condition_that_does_not_fit_is_refused(when):
    with pytest.raises(ValueError, match="when|condition|rank"):
        opyard.override("aten::relu", "CPU", when=when, impl=seven)
