"""The language's functions, written in Python from its document."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import torch

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
DTYPES = (
    "bool",
    *INTEGERS,
    *("float16", "bfloat16", "float32", "float64"),
    *("float8_e4m3fn", "float8_e5m2", "float8_e4m3", "float8_e5m2fnuz", "float8_e4m3fnuz"),
    *("complex64", "complex128"),
)

len, sum, max, min, all = len, sum, max, min, all  # noqa: A001, PLW0127


def as_value(value: Any) -> Any:
    """A parameter's value as rows write it: an algebraic data type becomes an object with its kind and fields."""
    if isinstance(value, dict):
        (kind, fields), *_ = value.items()
        return SimpleNamespace(kind=kind, **fields)
    return tuple(value) if isinstance(value, list) else value


def matches(pattern: Any, value: Any) -> bool:
    if pattern == "_":
        return True
    if not isinstance(pattern, dict):
        return type(pattern) is type(value) and pattern == value
    (kind, fields), *_ = pattern.items()
    if getattr(value, "kind", None) != kind:
        return False
    return fields == "_" or all(matches(inner, getattr(value, name)) for name, inner in fields.items())


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    rank = max((len(shape) for shape in shapes), default=0)
    sizes = []
    for axis in range(rank):
        here = {s[axis - rank + len(s)] for s in shapes if axis >= rank - len(s)} - {1}
        if len(here) > 1:
            raise ValueError("no broadcast")
        sizes.append(here.pop() if here else 1)
    return tuple(sizes)


def _axes(axes: Any, rank: int) -> list[int]:
    given = [axes] if isinstance(axes, int) else list(axes)
    if not valid_axes(given, rank):
        raise ValueError("axis out of range")
    return [axis % rank for axis in given] if rank else []


def reduced(shape: tuple[int, ...], axes: Any, keep: bool, mode: str) -> tuple[int, ...]:
    empty = axes is not None and not isinstance(axes, int) and len(axes) == 0
    if empty and mode == "reject":
        raise ValueError("no axis")
    every = axes is None or (empty and mode == "full")
    gone = set(range(len(shape))) if every else set(_axes(axes, len(shape)))
    return tuple(1 if i in gone else size for i, size in enumerate(shape) if keep or i not in gone)


def valid_axes(axes: Any, rank: int) -> bool:
    if axes is None:
        return True
    bound = max(rank, 1)
    return all(-bound <= axis < bound for axis in ([axes] if isinstance(axes, int) else axes))


def unique_axes(axes: Any, rank: int) -> bool:
    if axes is None or isinstance(axes, int):
        return True
    return len({axis % max(rank, 1) for axis in axes}) == len(axes)


def per_axis(value: Any, axis: int, count: int, fallback: Any = None) -> int:
    chosen = fallback if value is None else value
    if isinstance(chosen, int):
        return chosen
    if chosen is None or len(chosen) != count:
        raise ValueError("per_axis")
    return chosen[axis]


def ceil_div(a: int, b: int) -> int:
    if b <= 0:
        raise ValueError("ceil_div")
    return -(-a // b)


prod = math.prod


def conv_out(size: int, kernel: int, stride: int, pad: int, dilation: int) -> int:
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


def pool_out(size: int, kernel: int, stride: int, pad: int, dilation: int, ceil: bool) -> int:
    span = size + 2 * pad - dilation * (kernel - 1) - 1
    out = (span + (stride - 1 if ceil else 0)) // stride + 1
    if ceil and (out - 1) * stride >= size + pad:
        out -= 1
    return max(out, 0)


def moe_capacity(layout: Any, rows: int, experts: int) -> int:
    if layout.kind == "masked":
        return experts * layout.max_m
    if layout.packing != "aligned":
        return rows
    unit = layout.alignment
    return ceil_div(rows + experts * (unit - 1), unit) * unit


def mhc_expansion(size: int) -> int:
    root = math.isqrt(1 + size) - 1
    if root <= 0 or root * root + 2 * root != size:
        raise ValueError("mhc.expansion")
    return root


def promote_int_to_float(dtype: str) -> str:
    return "float32" if dtype in INTEGERS else dtype


def coalesce_dtype(first: str | None, second: str) -> str:
    return second if first is None else first


def category(value: Any) -> str:
    if isinstance(value, str):
        return (
            "bool"
            if value == "bool"
            else "int"
            if value in INTEGERS
            else "complex"
            if value.startswith("complex")
            else "float"
        )
    return type(value).__name__


def representable(value: Any, dtype: str) -> bool:
    kind = category(dtype)
    if kind == "bool":
        return True
    if kind == "int":
        facts = torch.iinfo(getattr(torch, dtype))
        least = -facts.max if dtype == "uint8" else facts.min
        return math.isfinite(value) and least <= value <= facts.max
    if math.isnan(value) or math.isinf(value):
        return math.isnan(value) or "8_e4m3fn" not in dtype and "fnuz" not in dtype
    name = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    return abs(value) <= torch.finfo(getattr(torch, name)).max


def balanced_sizes(total: int, count: int) -> tuple[int, ...]:
    return tuple(total // count + (i < total % count) for i in range(count))


def repeat(value: int, count: int) -> tuple[int, ...]:
    return (value,) * count
