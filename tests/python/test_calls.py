"""Calls of operators: right values, and clear errors that leave the instance usable."""

from __future__ import annotations

import copy
import pickle
import threading

import pytest
import torch
import torch.nn.functional as F

import opyard
from opyard.errors import OpNotAvailableError, SignatureError
from opyard.ops import CumprodFwdOp, GEMMFwdOp, GQADenseFwdOp, RMSNormFwdOp, RoPENeoxPositionIdsFwdOp, SiLUAndMulFwdOp

TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.bfloat16: (1.6e-2, 1e-2), torch.float16: (2e-3, 2e-3)}
DTYPES = list(TOLERANCE)


def strided(t: torch.Tensor) -> torch.Tensor:
    """The same values with a gap after every element of the first dim."""
    wide = torch.zeros(2 * t.shape[0], *t.shape[1:], dtype=t.dtype)
    wide[::2] = t
    return wide[::2]


def transposed(t: torch.Tensor) -> torch.Tensor:
    return t.transpose(-1, -2).contiguous().transpose(-1, -2)


def offset(t: torch.Tensor) -> torch.Tensor:
    flat = torch.zeros(t.numel() + 3, dtype=t.dtype)
    flat[3:] = t.reshape(-1)
    return flat[3:].view(t.shape)


LAYOUTS = {"plain": lambda t: t, "strided": strided, "transposed": transposed, "offset": offset}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(3, 8), (5, 7), (2, 3, 576), (1, 1), (4, 1025), (0, 8)])
def test_rms_norm_equals_torch(shape, layout, dtype):
    x = torch.randn(*shape).to(dtype)
    weight = torch.randn(shape[-1]).to(dtype)
    op = RMSNormFwdOp(normalized_shape=[shape[-1]], eps=1e-5)
    given = LAYOUTS[layout](x) if x.numel() else x
    want = F.rms_norm(x.float(), (shape[-1],), weight.float(), 1e-5).to(dtype)
    rtol, atol = TOLERANCE[dtype]
    torch.testing.assert_close(op(given, weight), want, rtol=rtol, atol=atol)
    want = F.rms_norm(x.float(), (shape[-1],), None, 1e-5).to(dtype)
    torch.testing.assert_close(op(given), want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("m", "n"), [(1, 8), (4, 1536), (3, 5), (0, 4)])
def test_silu_and_mul_equals_torch(m, n, layout, dtype):
    x = torch.randn(m, 2 * n).to(dtype)
    given = LAYOUTS[layout](x) if x.numel() else x
    rtol, atol = TOLERANCE[dtype]
    torch.testing.assert_close(SiLUAndMulFwdOp()(given), F.silu(x[:, :n]) * x[:, n:], rtol=rtol, atol=atol)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("m", "n", "k"), [(1, 64, 32), (1, 5, 7), (3, 17, 33), (42, 192, 576), (2, 4, 0), (0, 4, 8)])
@pytest.mark.parametrize("trans_b", [True, False])
def test_gemm_equals_torch(m, n, k, trans_b, layout, dtype):
    a, b = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype) / max(k, 1) ** 0.5
    bias = torch.randn(n).to(dtype)
    given = LAYOUTS[layout](a) if a.numel() else a
    op = GEMMFwdOp(trans_b=trans_b)
    other = b.t().contiguous() if trans_b else b
    want = (a.double() @ b.double()).to(dtype)
    rtol, atol = TOLERANCE[dtype]
    torch.testing.assert_close(op(given, other), want, rtol=rtol, atol=atol * 4)
    want = (a.double() @ b.double() + bias.double()).to(dtype)
    torch.testing.assert_close(op(given, other, bias), want, rtol=rtol, atol=atol * 4)


def rotate(x, positions, base, rotary_dim):
    half = rotary_dim // 2
    angle = positions[:, None].double() * base ** (-torch.arange(half).double() * 2 / rotary_dim)
    cos, sin = angle.cos()[:, None], angle.sin()[:, None]
    first, second, rest = x[..., :half].double(), x[..., half:rotary_dim].double(), x[..., rotary_dim:].double()
    return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], -1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
@pytest.mark.parametrize("rotary_dim", [None, 16])
def test_rope_equals_the_formula_in_float64(rotary_dim, index, dtype):
    x = torch.randn(6, 3, 32).to(dtype)
    positions = torch.tensor([0, 5, 5, 99, 1, 63], dtype=index)
    op = RoPENeoxPositionIdsFwdOp(max_position=100, base=10000.0, rotary_dim=rotary_dim)
    want = rotate(x, positions, 10000.0, rotary_dim or 32).to(dtype)
    rtol, atol = TOLERANCE[dtype]
    torch.testing.assert_close(op(x, positions), want, rtol=rtol, atol=max(atol, 1e-4) * 3)
    strided_x = x.transpose(0, 1).contiguous().transpose(0, 1)
    torch.testing.assert_close(op(strided_x, positions), want, rtol=rtol, atol=max(atol, 1e-4) * 3)


@pytest.mark.parametrize("position", [100, -1])
def test_rope_refuses_a_position_outside_its_table(position):
    op = RoPENeoxPositionIdsFwdOp(max_position=100)
    with pytest.raises(opyard.errors.OpyardError, match="position"):
        op(torch.randn(2, 1, 8), torch.tensor([0, position]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("b", "sq", "skv", "h", "hkv", "d"),
    [(1, 1, 9, 9, 3, 64), (2, 7, 7, 4, 2, 16), (1, 3, 11, 2, 1, 8), (2, 1, 1, 3, 3, 33)],
)
@pytest.mark.parametrize("causal", [False, True])
def test_attention_equals_torch(b, sq, skv, h, hkv, d, causal, dtype):
    q, k, v = (torch.randn(b, s, n, d).to(dtype) for s, n in ((sq, h), (skv, hkv), (skv, hkv)))
    allowed = torch.ones(sq, skv, dtype=torch.bool)
    if causal:
        allowed = allowed.tril(skv - sq)
    want = F.scaled_dot_product_attention(
        *(t.double().transpose(1, 2) for t in (q, k, v)), attn_mask=allowed, enable_gqa=True
    ).transpose(1, 2)
    op = GQADenseFwdOp(is_causal=causal)
    rtol, atol = TOLERANCE[dtype]
    torch.testing.assert_close(op(q, k, v), want.to(dtype), rtol=rtol, atol=atol)
    as_cached = [t.transpose(1, 2).contiguous().transpose(1, 2) for t in (k, v)]
    torch.testing.assert_close(op(q, *as_cached), want.to(dtype), rtol=rtol, atol=atol)


@pytest.mark.parametrize("kind", ["bool", "additive"])
@pytest.mark.parametrize("shape", [(2, 1, 1, 6), (1, 1, 3, 6), (2, 4, 3, 6)])
def test_attention_masks_equal_torch(shape, kind):
    q, k, v = torch.randn(2, 3, 4, 16), torch.randn(2, 6, 2, 16), torch.randn(2, 6, 2, 16)
    mask = torch.rand(shape) > 0.3
    mask[..., 0] = True
    if kind == "additive":
        mask = torch.where(mask, torch.randn(shape), torch.tensor(float("-inf")))
    want = F.scaled_dot_product_attention(
        *(t.transpose(1, 2) for t in (q, k, v)), attn_mask=mask, enable_gqa=True
    ).transpose(1, 2)
    torch.testing.assert_close(GQADenseFwdOp()(q, k, v, mask=mask), want, rtol=1e-5, atol=1e-5)


X = torch.randn(4, 8)
W = torch.randn(8)
BAD_CALLS = {
    "wrong rank": (lambda op: op(torch.tensor(1.0)), ("x", "rank")),
    "mismatched dim": (lambda op: op(torch.randn(4, 9), W), ("x", "8", "9")),
    "mismatched weight": (lambda op: op(X, torch.randn(7)), ("weight", "8", "7")),
    "wrong dtype": (lambda op: op(X.int()), ("x", "float32", "int32")),
    "different dtypes": (lambda op: op(X, W.bfloat16()), ("weight", "float32", "bfloat16")),
    "different devices": (lambda op: op(X, W.to("meta")), ("device",)),
    "a non-tensor": (lambda op: op([1.0, 2.0]), ("x", "list")),
    "a non-tensor optional": (lambda op: op(X, 3), ("weight", "int")),
    "a missing argument": (lambda op: op(), ("x",)),
    "a missing argument, by name": (lambda op: op(weight=W), ("x",)),
    "an unknown argument": (lambda op: op(X, wieght=W), ("wieght", "weight")),
    "an argument twice": (lambda op: op(X, x=X), ("x",)),
    "too many arguments": (lambda op: op(X, W, W), ("x", "weight")),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_a_bad_call_raises_naming_the_facts_and_leaves_the_instance_usable(name):
    op = RMSNormFwdOp(normalized_shape=[8], eps=1e-6)
    call, words = BAD_CALLS[name]
    with pytest.raises((SignatureError, RuntimeError)) as raised:
        call(op)
    for word in ("RMSNormFwdOp", *words):
        assert word in str(raised.value), str(raised.value)
    torch.testing.assert_close(op(X, W), F.rms_norm(X, (8,), W, 1e-6))


BAD_PARAMETERS = {
    "missing": (lambda: RMSNormFwdOp(), TypeError, ("normalized_shape",)),
    "unknown": (lambda: RMSNormFwdOp(normalized_shape=[8], epsilon=1), TypeError, ("epsilon",)),
    "wrong type": (lambda: RMSNormFwdOp(normalized_shape="8"), TypeError, ("normalized_shape", "str")),
    "wrong item": (lambda: RMSNormFwdOp(normalized_shape=[8.5]), TypeError, ("normalized_shape",)),
    "forbidden value": (lambda: RMSNormFwdOp(normalized_shape=[]), ValueError, ("normalized_shape",)),
    "a bool is no int": (lambda: RoPENeoxPositionIdsFwdOp(max_position=True), TypeError, ("max_position",)),
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_a_bad_parameter_raises_at_construction(name):
    construct, kind, words = BAD_PARAMETERS[name]
    with pytest.raises(kind) as raised:
        construct()
    for word in words:
        assert word in str(raised.value), str(raised.value)


def test_an_unknown_target_is_refused_with_the_known_ones():
    op = RMSNormFwdOp(normalized_shape=[8], target="nowhere")
    with pytest.raises(OpNotAvailableError, match="builtin"):
        op(X)
    assert op.serving_target is None


def test_last_call_shows_what_ran():
    op = RMSNormFwdOp(normalized_shape=[8], eps=1e-6)
    with pytest.raises(RuntimeError, match="no call"):
        _ = op.last_call
    assert op.serving_target is None
    op(X, W)
    assert op.serving_target is opyard.BUILTIN
    assert op.last_call.tensors == {
        "x": ((4, 8), "float32"),
        "weight": ((8,), "float32"),
        "output": ((4, 8), "float32"),
    }
    assert op.last_call.implementation in opyard.explain(op, X, W)
    with pytest.raises(ValueError, match="wrong size"):
        op(torch.randn(4, 9))
    assert op.last_call.tensors["x"] == ((4, 8), "float32")


def test_a_failed_first_call_leaves_nothing_bound():
    op = RMSNormFwdOp(normalized_shape=[8])
    with pytest.raises(ValueError, match="wrong size"):
        op(torch.randn(4, 9))
    assert op.serving_target is None


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda op: pickle.loads(pickle.dumps(op))])
def test_a_copy_has_its_own_key_and_starts_unbound(duplicate):
    op = RMSNormFwdOp(normalized_shape=[8], eps=1e-6)
    op(X, W)
    other = duplicate(op)
    assert other._instance_key != op._instance_key
    assert other.serving_target is None
    torch.testing.assert_close(other(X, W), op(X, W))


def test_a_gradient_that_would_be_recorded_is_refused():
    op = CumprodFwdOp(dim=0)
    x = X.clone().requires_grad_()
    with pytest.raises(SignatureError, match="backward"):
        op(x)
    with torch.no_grad():
        assert not op(x).requires_grad


def test_empty_outputs_run_nothing():
    op = RMSNormFwdOp(normalized_shape=[8])
    assert op(torch.empty(0, 8)).shape == (0, 8)
    assert op.serving_target is None
    assert op.last_call.implementation == ""


class Logged(torch.Tensor):
    seen: list[str] = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.seen.append(str(func))
        return super().__torch_function__(func, types, args, kwargs or {})


def test_subclasses_modes_and_the_profiler_see_the_call():
    op = RMSNormFwdOp(normalized_shape=[8])
    want = F.rms_norm(X, (8,))
    torch.testing.assert_close(op(X.as_subclass(Logged)).as_subclass(torch.Tensor), want)
    assert any("rms_norm" in name for name in Logged.seen)

    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Names() as names:
        torch.testing.assert_close(op(X), want)
    assert any("opyard.norm_rms_norm_fwd" in name for name in names.seen)

    with torch.profiler.profile() as profile:
        op(X)
    assert any("norm_rms_norm_fwd" in event.key for event in profile.key_averages())


def test_conjugate_and_negative_views_are_resolved():
    op = RMSNormFwdOp(normalized_shape=[8])
    negative = torch._neg_view(X)
    assert negative.is_neg()
    torch.testing.assert_close(op(negative), F.rms_norm(-X, (8,)))


def test_threads_share_an_instance():
    op = RMSNormFwdOp(normalized_shape=[8], eps=1e-6)
    inputs = [torch.randn(n + 1, 8) for n in range(40)]
    wants = [F.rms_norm(x, (8,), W, 1e-6) for x in inputs]
    wrong = []

    def work(start):
        for i in range(400):
            j = (i + start) % len(inputs)
            if not torch.allclose(op(inputs[j], W), wants[j], atol=1e-6):
                wrong.append(j)

    threads = [threading.Thread(target=work, args=(7 * t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_subclass_may_write_its_own_call():
    class Twice(SiLUAndMulFwdOp):
        def __call__(self, x):
            return 2 * super().__call__(x)

    x = torch.randn(3, 8)
    torch.testing.assert_close(Twice()(x), 2 * SiLUAndMulFwdOp()(x))


def test_a_key_of_another_operator_is_refused():
    other = RMSNormFwdOp(normalized_shape=[8])
    with pytest.raises(SignatureError, match="another operator"):
        torch.ops.opyard.elementwise_silu_and_mul_fwd(X, other._instance_key)


def test_an_opaque_tensor_is_refused_with_the_reason():
    with pytest.raises(OpNotAvailableError, match="opaque"):
        RMSNormFwdOp(normalized_shape=[8])(X.to_mkldnn())


def test_threads_meet_one_new_spec_in_a_graph_without_waiting_for_ever():
    for eps in range(20):
        key = RMSNormFwdOp(normalized_shape=[8], eps=1.0 + eps)._graph_key
        results = []

        def call(key=key, results=results):
            results.append(torch.ops.opyard.norm_rms_norm_fwd(X, None, key))

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert len(results) == 4
