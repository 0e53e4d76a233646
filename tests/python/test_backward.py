"""Gradients from the manifest: eager and compiled ones are those of torch's autograd over the entry's reference."""

from __future__ import annotations

import functools

import pytest
import torch
from built_in import built_in
from error_text import says
from torch.utils.checkpoint import checkpoint

from opyard import _C, ops
from opyard.errors import SignatureError
from opyard.testing import SampleCall, dtypes_of, inputs_of, sample_calls
from opyard.testing.right import reference_of

DIFFERENTIABLE = [name for name in built_in() if isinstance(_C.declaration(name)["backward"], dict)]
N = 16


def given(name: str) -> list[str]:
    """The inputs whose gradient is declared."""
    gives = _C.declaration(name)["backward"]["gives"].values()
    return [i for item in gives for i in (item if isinstance(item, list) else [item])]


def leaves_of(call: SampleCall) -> tuple[SampleCall, list[torch.Tensor]]:
    """The call with inputs that require a gradient where one is declared and they are real."""
    names = [tensor["name"] for tensor in _C.declaration(call.operator._name)["inputs"]]
    wanted = given(call.operator._name)
    new = {}
    leaves = []
    for name, tensor in zip(names, inputs_of(call)):
        if tensor is None or name not in wanted or not tensor.is_floating_point():
            continue
        new[id(tensor)] = tensor.detach().clone().requires_grad_()
        leaves.append(new[id(tensor)])
    args = tuple(new.get(id(tensor), tensor) for tensor in call.args)
    kwargs = {name: new.get(id(tensor), tensor) for name, tensor in call.kwargs.items()}
    return call._replace(args=args, kwargs=kwargs), leaves


def outputs_of(result) -> list[torch.Tensor]:
    results = result if isinstance(result, (tuple, list)) else (result,)
    return [output for output in results if output is not None and output.requires_grad]


def upstream(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    torch.manual_seed(len(outputs))
    return [torch.randn_like(output) for output in outputs]


def calls_with_gradients(name: str):
    """Samples that write nothing, and that return what the backward needs."""
    dtype = torch.float64 if torch.float64 in dtypes_of(name) else torch.float32
    for call in sample_calls(name, dtype=dtype):
        written = [t["name"] for t in _C.declaration(name)["inputs"] if t["mutated"]]
        in_place = getattr(call.operator, "inplace", False) or any(key in call.kwargs for key in written)
        if getattr(call.operator, "training", True) and not in_place:
            yield call


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_are_those_of_the_reference(name):
    count = 0
    for call in calls_with_gradients(name):
        recorded, leaves = leaves_of(call)
        right, right_leaves = leaves_of(call)
        if not leaves:
            continue
        outputs = outputs_of(recorded.operator(*recorded.args, **recorded.kwargs))
        expected = outputs_of(reference_of(right, wide=False)())[: len(outputs)]
        assert len(outputs) == len(expected), call.label
        weights = upstream(outputs)
        got = torch.autograd.grad(outputs, leaves, weights)
        want = torch.autograd.grad(expected, right_leaves, weights, materialize_grads=True, allow_unused=True)
        tolerance = (
            {"rtol": 1e-8, "atol": 1e-8}
            if all(t.dtype == torch.float64 for t in (*leaves, *outputs))
            else {"rtol": 2e-4, "atol": 2e-4}
        )
        for one, other in zip(got, want):
            torch.testing.assert_close(one, other, **tolerance, equal_nan=True, msg=f"{call.operator!r} [{call.label}]")
        count += 1
    assert count > 0


CASES = {
    "RMSNormFwdOp": (lambda: ops.RMSNormFwdOp([5], eps=1e-5), [(3, 2, 5), (5,)]),
    "LayerNormFwdOp": (lambda: ops.LayerNormFwdOp([5]), [(3, 5), (5,), (5,)]),
    "FusedAddRMSNormFwdOp": (ops.FusedAddRMSNormFwdOp, [(3, 5), (3, 5), (5,)]),
    "FusedAddLayerNormFwdOp": (ops.FusedAddLayerNormFwdOp, [(3, 5), (3, 5), (5,), (5,)]),
    "GEMMFwdOp": (ops.GEMMFwdOp, [(3, 4), (5, 4), (5,)]),
    "GEMMFwdOp transposed": (lambda: ops.GEMMFwdOp(trans_a=True, trans_b=False), [(4, 3), (4, 5)]),
    "BMMFwdOp": (ops.BMMFwdOp, [(2, 3, 4), (2, 4, 5)]),
    "SiLUAndMulFwdOp": (ops.SiLUAndMulFwdOp, [(3, 8)]),
    "GQADenseFwdOp": (lambda: ops.GQADenseFwdOp(is_causal=True), [(1, 3, 4, 4), (1, 5, 2, 4), (1, 5, 2, 4)]),
    "GQADenseFwdOp capped": (lambda: ops.GQADenseFwdOp(softcap=2.0), [(1, 3, 2, 4), (1, 3, 1, 4), (1, 3, 1, 4)]),
    "RoPEFwdOp": (lambda: ops.RoPEFwdOp(input_layout="2d"), [(1, 3, 2, 4)]),
    "GELUFwdOp": (ops.GELUFwdOp, [(3, 4)]),
    "SiLUFwdOp": (ops.SiLUFwdOp, [(3, 4)]),
    "AddFwdOp": (lambda: ops.AddFwdOp(alpha=0.5), [(3, 1, 4), (2, 1)]),
    "MulFwdOp": (ops.MulFwdOp, [(3, 1, 4), (2, 1)]),
    "DivFwdOp": (ops.DivFwdOp, [(3, 4), (4,)]),
    "SoftmaxFwdOp": (lambda: ops.SoftmaxFwdOp(dim=0), [(3, 4)]),
    "LogSoftmaxFwdOp": (lambda: ops.LogSoftmaxFwdOp(dim=1), [(3, 4)]),
}


def leaves(shapes, dtype=torch.float64):
    torch.manual_seed(len(shapes))
    return [(torch.rand(shape, dtype=dtype) + 0.5).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("case", CASES)
def test_gradcheck(case):
    make, shapes = CASES[case]
    assert torch.autograd.gradcheck(make(), leaves(shapes), fast_mode=False)


@pytest.mark.parametrize("case", CASES)
def test_compiled_gradients_are_the_eager_ones(case):
    torch._dynamo.reset()
    make, shapes = CASES[case]
    op = make()
    compiled = torch.compile(op, fullgraph=True, backend="aot_eager")
    for leaf_set in (leaves(shapes), [leaf.detach().requires_grad_(i == 0) for i, leaf in enumerate(leaves(shapes))]):
        wanted = [leaf for leaf in leaf_set if leaf.requires_grad]
        results = [outputs_of(call(*leaf_set)) for call in (op, compiled)]
        torch.testing.assert_close(results[1], results[0])
        weights = upstream(results[0])
        got, want = (torch.autograd.grad(outputs, wanted, weights) for outputs in (results[1], results[0]))
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize("case", CASES)
def test_the_upstream_gradient_may_have_any_strides(case):
    make, shapes = CASES[case]
    op, inputs = make(), leaves(shapes)
    outputs = outputs_of(op(*inputs))
    expanded = [torch.ones((), dtype=torch.float64).expand_as(output) for output in outputs]
    transposed = [
        torch.ones(output.shape[::-1], dtype=torch.float64).permute(*range(output.dim())[::-1]) for output in outputs
    ]
    plain = [torch.ones_like(output) for output in outputs]
    run = functools.partial(torch.autograd.grad, outputs, inputs, retain_graph=True)
    torch.testing.assert_close(run(expanded), run(plain))
    torch.testing.assert_close(run(transposed), run(plain))


def products():
    a, b, bias = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5)
    return ops.GEMMFwdOp(), [a, b, bias]


@pytest.mark.parametrize("wanted", [[0], [1], [2], [0, 2], [0, 1, 2]])
def test_only_gradients_that_are_asked_for_are_computed(wanted):
    op, inputs = products()
    for i in wanted:
        inputs[i].requires_grad_()
    with torch.profiler.profile() as profile:
        op(*inputs).sum().backward()
    names = {event.name for event in profile.events()}
    without = "".join(f"_without_{name}" for i, name in enumerate(("da", "db", "dbias")) if i not in wanted)
    assert f"opyard::gemm_bwd{without}" in names
    assert [tensor.grad is not None for tensor in inputs] == [i in wanted for i in range(3)]


def test_an_operator_without_a_backward_refuses_by_its_name():
    x = torch.rand(3, 4, requires_grad=True)
    with pytest.raises(SignatureError, match=says("CumprodFwdOp", "declares no backward")):
        ops.CumprodFwdOp(dim=0)(x)
    with torch.no_grad():
        ops.CumprodFwdOp(dim=0)(x)


def test_an_output_without_gradients_needs_no_backward():
    x = torch.rand(3, 4, requires_grad=True)
    assert not ops.EqFwdOp()(x, x).requires_grad
    assert not ops.ArgmaxFwdOp(dim=1)(x).requires_grad


def test_an_input_without_a_declared_gradient_is_named():
    q = torch.randn(1, 3, 2, 4)
    sinks = torch.randn(2, requires_grad=True)
    with pytest.raises(SignatureError, match=says("GQADenseFwdOp", "sinks")):
        ops.GQADenseFwdOp()(q, q, q, sinks=sinks)


def test_a_call_that_returns_nothing_to_differentiate_by_is_refused():
    x, mean, var = torch.randn(4, 3, requires_grad=True), torch.zeros(3), torch.ones(3)
    with pytest.raises(SignatureError, match=says("BatchNormFwdOp", "save_mean")):
        ops.BatchNormFwdOp(training=False)(x, mean, var)


@pytest.mark.parametrize("case", CASES)
def test_gradgradcheck(case):
    make, shapes = CASES[case]
    assert torch.autograd.gradgradcheck(make(), leaves(shapes), fast_mode=True)


def test_a_second_derivative_is_refused_while_tracing():
    torch._dynamo.reset()
    norm = ops.RMSNormBwdOp([N])
    x = torch.randn(3, N, requires_grad=True)
    with pytest.raises(Exception, match=says("RMSNormBwdOp", "outside of compiled code")):
        torch.compile(norm, fullgraph=True, backend="aot_eager")(torch.randn(3, N), x)


def test_a_saved_tensor_that_was_changed_is_found():
    x, weight = torch.randn(3, N), torch.randn(N, requires_grad=True)
    loss = ops.RMSNormFwdOp([N], eps=1e-5)(x, weight).sum()
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_change_by_an_opyard_operator_is_found():
    y = ops.SigmoidFwdOp()(torch.randn(3, N, requires_grad=True))
    ops.ReLUFwdOp(inplace=True)(y.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_graph_is_run_once_unless_it_is_kept():
    x = torch.randn(3, N, requires_grad=True)
    loss = ops.RMSNormFwdOp([N], eps=1e-5)(x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


@pytest.mark.parametrize("name", ["ReLUFwdOp", "SiLUFwdOp", "ELUFwdOp", "LeakyReLUFwdOp"])
def test_in_place_activations_have_the_same_gradient(name):
    make = getattr(ops, name)
    x = torch.randn(3, N, dtype=torch.float64, requires_grad=True)
    (want,) = torch.autograd.grad((make()(x) * 3).sum(), x)
    y = x * 1
    made = make(inplace=True)(y)
    assert made is y
    assert y.grad_fn.name() == f"{name}Backward"
    (got,) = torch.autograd.grad((made * 3).sum(), x)
    torch.testing.assert_close(got, want)


def test_a_leaf_is_not_written():
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        ops.ReLUFwdOp(inplace=True)(torch.randn(3, requires_grad=True))


@pytest.mark.parametrize("reentrant", [False, True])
def test_activation_checkpointing(reentrant):
    norm, gate = ops.RMSNormFwdOp([N], eps=1e-5), ops.SiLUAndMulFwdOp()
    x, weight = torch.randn(3, N, requires_grad=True), torch.randn(N, requires_grad=True)

    def block(x, weight):
        return gate(norm(x, weight))

    want = torch.autograd.grad(block(x, weight).square().sum(), (x, weight))
    checkpoint(block, x, weight, use_reentrant=reentrant).square().sum().backward()
    torch.testing.assert_close((x.grad, weight.grad), want)


def test_saved_tensor_hooks_see_what_is_kept():
    x, weight = torch.randn(3, N, requires_grad=True), torch.randn(N, requires_grad=True)
    norm = ops.RMSNormFwdOp([N], eps=1e-5)
    want = torch.autograd.grad(norm(x, weight).square().sum(), (x, weight))
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t.shape) or t.numpy(), torch.from_numpy):
        y = norm(x.detach().requires_grad_(), weight)
    assert sorted(map(tuple, packed)) == [(3, N), (N,)]
    torch.testing.assert_close(torch.autograd.grad(y.square().sum(), weight)[0], want[1])


def test_an_output_nobody_uses_has_a_gradient_of_zero():
    x, residual = torch.randn(3, N, requires_grad=True), torch.randn(3, N, requires_grad=True)
    weight = torch.randn(N, requires_grad=True)
    output, total = ops.FusedAddRMSNormFwdOp(eps=1e-5)(x, residual, weight)
    got = torch.autograd.grad(total.sum(), (x, residual, weight))
    torch.testing.assert_close(got, (torch.ones_like(x), torch.ones_like(x), torch.zeros_like(weight)))


def test_functional_transforms_see_the_backward():
    norm = ops.RMSNormFwdOp([N], eps=1e-5)
    x = torch.randn(3, N, dtype=torch.float64)
    got = torch.func.grad(lambda x: norm(x).square().sum())(x)
    leaf = x.clone().requires_grad_()
    torch.nn.functional.rms_norm(leaf, [N], eps=1e-5).square().sum().backward()
    torch.testing.assert_close(got, leaf.grad)


def test_forward_mode_says_what_to_use():
    norm = ops.RMSNormFwdOp([N], eps=1e-5)
    with pytest.raises(SignatureError, match=says("RMSNormFwdOp", "reverse mode")):
        torch.func.jvp(norm, (torch.randn(3, N),), (torch.randn(3, N),))
