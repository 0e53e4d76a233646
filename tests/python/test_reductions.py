"""Reductions at their edges: what is empty, NaN, equal, wide, strided or refused."""

import math

import pytest
import torch

from opyard import ops
from opyard.errors import SignatureValueError

X = torch.tensor([[1.0, math.nan, 3.0], [4.0, -1.0, 4.0]])
HALVES = torch.full((1, 70000), 1.0, dtype=torch.float16)
EMPTY = torch.empty(2, 0)

ROWS = [
    ("no dim named is every dim", "SumFwdOp", {"dim": []}, torch.ones(3, 4), torch.tensor(12.0)),
    ("an empty sum is zero", "SumFwdOp", {"dim": 1}, EMPTY, torch.zeros(2)),
    ("an empty mean is no number", "MeanFwdOp", {"dim": 1}, EMPTY, torch.full((2,), math.nan)),
    ("an empty product is one", "ProdFwdOp", {"dim": 1}, EMPTY, torch.ones(2)),
    ("an empty log of a sum is minus infinity", "LogSumExpFwdOp", {"dim": 1}, EMPTY, torch.full((2,), -math.inf)),
    (
        "a masked row's log of a sum too",
        "LogSumExpFwdOp",
        {"dim": 0},
        torch.full((3,), -math.inf),
        torch.tensor(-math.inf),
    ),
    (
        "a kept dim has size one",
        "SumFwdOp",
        {"dim": [0, -1], "keepdim": True},
        torch.ones(2, 3, 4),
        torch.full((1, 3, 1), 8.0),
    ),
    ("a mean of many halves does not overflow", "MeanFwdOp", {"dim": 1}, HALVES, torch.ones(1, dtype=torch.float16)),
    (
        "a sum in another dtype is summed there",
        "SumFwdOp",
        {"dim": 1, "dtype": torch.float32},
        HALVES,
        torch.tensor([70000.0]),
    ),
    (
        "a product passes through numbers above the dtype's",
        "ProdFwdOp",
        {"dim": 0},
        torch.tensor([60000.0, 4.0, 0.125, 0.25], dtype=torch.float16),
        torch.tensor(7500.0, dtype=torch.float16),
    ),
    ("the greatest is NaN where one is", "AmaxFwdOp", {"dim": 1}, X, torch.tensor([math.nan, 4.0])),
    ("a NaN is where the greatest lies", "ArgmaxFwdOp", {"dim": 1}, X, torch.tensor([1, 0])),
    ("of equals the first", "ArgmaxFwdOp", {"dim": 1}, torch.zeros(2, 5), torch.tensor([0, 0])),
    ("a transposed input", "ArgmaxFwdOp", {"dim": 0}, torch.arange(6.0).reshape(2, 3).t(), torch.tensor([2, 2])),
    ("an expanded input", "SumFwdOp", {"dim": 0}, torch.arange(3.0).expand(4, 3), torch.arange(3.0) * 4),
    ("a number", "ProdFwdOp", {"dim": 0, "keepdim": True}, torch.tensor(5.0), torch.tensor(5.0)),
    ("without dims nothing is folded", "AllFwdOp", {"dim": []}, torch.tensor([2.0, 0.0]), torch.tensor([True, False])),
    ("all of nothing", "AllFwdOp", {"dim": 1}, EMPTY, torch.tensor([True, True])),
    ("any of nothing", "AnyFwdOp", {"dim": 1}, EMPTY, torch.tensor([False, False])),
    ("softmax of a masked row", "SoftmaxFwdOp", {"dim": 0}, torch.full((3,), -math.inf), torch.full((3,), math.nan)),
    (
        "a running sum is not rounded on the way",
        "CumsumFwdOp",
        {"dim": 0},
        torch.full((300,), 1.0, dtype=torch.bfloat16),
        torch.arange(1.0, 301.0).bfloat16(),
    ),
]


@pytest.mark.parametrize(("fact", "name", "params", "x", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_at_the_edges(fact, name, params, x, expected):
    got = getattr(ops, name)(**params)(x)
    torch.testing.assert_close(got, expected, equal_nan=True, rtol=0, atol=0)


REFUSED = [
    ("AmaxFwdOp", {"dim": 1}, EMPTY, "must not be empty"),
    ("ArgmaxFwdOp", {"dim": 1}, EMPTY, "must not be empty"),
    ("SumFwdOp", {"dim": 2}, EMPTY, "must name dims"),
    ("SumFwdOp", {"dim": [0, -2]}, EMPTY, "each once"),
    ("VectorNormFwdOp", {"dtype": torch.float16}, torch.ones(3), "must hold every number"),
]


@pytest.mark.parametrize(("name", "params", "x", "words"), REFUSED)
def test_refused_with_the_reason(name, params, x, words):
    with pytest.raises(SignatureValueError, match=words):
        getattr(ops, name)(**params)(x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("name", ["SumFwdOp", "MeanFwdOp", "AmaxFwdOp", "VarFwdOp", "SoftmaxFwdOp", "CumprodFwdOp"])
def test_views_give_what_their_copies_give(name, dtype):
    base = torch.randn(6, 7, 8).to(dtype)
    op = getattr(ops, name)(dim=1)
    for view in (base.transpose(0, 2), base[1:4, 2:, ::3], base[:1].expand(5, 7, 8), base.permute(1, 2, 0)):
        torch.testing.assert_close(op(view), op(view.contiguous()))
