"""What `when` may be: limits as data, a text in the expression language, or nothing; as the core takes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

_UNBOUNDED = 2**63 - 1
_FACTS = ("dtype", "ndim", "size", "numel", "contiguous", "capability")


@dataclass
class When:
    """A condition as data. Called with an operator's arguments it says whether it holds, also of FakeTensors."""

    arguments: list[tuple[str, bool]]  # of the operator: name, and whether it is a tensor
    defaults: dict[str, Any]
    limits: list[dict[str, Any]] = field(default_factory=list)  # on tensors
    terms: list[str] = field(default_factory=list)  # on everything else
    texts: list[str] = field(default_factory=list)  # all of it, as an expression

    @property
    def text(self) -> str:
        return " and ".join(self.texts) or "True"

    @property
    def expression(self) -> str:
        return " and ".join(self.terms)

    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        values = self.defaults | dict(zip((name for name, _ in self.arguments), args)) | kwargs
        return bool(eval(compile(self.text, "<when>", "eval"), _names(), values))  # the core has read the text


def read_when(when: Mapping[str, Any] | str, schema: Any) -> When:
    """Throws ValueError for what no call can meet; names and texts are the core's to judge."""
    arguments = [(a.name, "Tensor" in str(a.type) and "List" not in str(a.type)) for a in schema.arguments]
    read = When(arguments, {a.name: a.default_value for a in schema.arguments if a.has_default_value()})
    if isinstance(when, str):
        read.terms.append(f"({when})")
        read.texts.append(f"({when})")
        return read
    first = next((name for name, is_tensor in arguments if is_tensor), None)
    own = {key: value for key, value in when.items() if key in _FACTS}
    if own:
        if first is None:
            raise ValueError(f"when: {', '.join(own)}: the operator has no tensor argument")
        _read_tensor(read, first, own)
    for name, wanted in when.items():
        if name in own:
            continue
        if isinstance(wanted, Mapping):
            _read_tensor(read, name, wanted)
        else:
            term = f"{name} in ({''.join(f'{_literal(value)}, ' for value in _list(wanted))})"
            read.terms.append(term)
            read.texts.append(term)
    return read


def _read_tensor(read: When, name: str, facts: Mapping[str, Any]) -> None:
    unknown = [key for key in facts if key not in _FACTS]
    if unknown:
        raise ValueError(f"when: argument '{name}': expected {', '.join(_FACTS)}, got '{unknown[0]}'")
    dtypes = [_dtype_name(dtype) for dtype in _list(facts.get("dtype", []))]
    ranks = [int(rank) for rank in _list(facts.get("ndim", []))]
    sizes = [_range(dim, limit) for dim, limit in facts.get("size", {}).items()]
    _, low, high, _ = _range(0, facts.get("numel", {}))
    contiguous = bool(facts.get("contiguous", False))
    major, minor = facts.get("capability", (0, 0))
    read.limits.append(
        {
            "argument": name,
            "dtypes": dtypes,
            "ranks": ranks,
            "sizes": sizes,
            "elements": (low, high),
            "contiguous": contiguous,
            "capability": 10 * major + minor,
        }
    )
    texts = [f"present({name})"]
    if dtypes:
        texts.append(f"{name}.dtype in ({''.join(f'{dtype}, ' for dtype in dtypes)})")
    if ranks:
        texts.append(f"{name}.ndim in ({''.join(f'{rank}, ' for rank in ranks)})")
    for dim, least, most, multiple in sizes:
        exists = f"{name}.ndim > {dim}" if dim >= 0 else f"{name}.ndim >= {-dim}"
        texts.append(f"{exists} and {least} <= {name}.shape[{dim}] <= {most} and {name}.shape[{dim}] % {multiple} == 0")
    if "numel" in facts:
        texts.append(f"{low} <= numel({name}) <= {high}")
    if contiguous:
        texts.append(f"contiguous({name})")
    if "capability" in facts:
        texts.append(f"capability({name}) >= {10 * major + minor}")
    read.texts += texts


def _range(dim: int, limit: int | Mapping[str, int]) -> tuple[int, int, int, int]:
    if isinstance(limit, Mapping):
        unknown = [key for key in limit if key not in ("min", "max", "multiple_of")]
        if unknown:
            raise ValueError(f"when: a size: expected min, max or multiple_of, got '{unknown[0]}'")
        return int(dim), limit.get("min", 0), limit.get("max", _UNBOUNDED), limit.get("multiple_of", 1)
    return int(dim), int(limit), int(limit), 1


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _dtype_name(dtype: str | torch.dtype) -> str:
    name = str(dtype).removeprefix("torch.")
    if not isinstance(getattr(torch, name, None), torch.dtype):
        raise ValueError(f"when: expected a dtype, got '{dtype}'")
    return name


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value) if "." in repr(value) else f"{value:.17f}"
    if isinstance(value, torch.dtype):
        return _dtype_name(value)
    raise ValueError(f"when: expected None, a bool, a number, a string or a dtype, got {value!r}")


def _capability(tensor: torch.Tensor) -> int:
    if not tensor.is_cuda:
        return -1
    major, minor = torch.cuda.get_device_capability(tensor.device)
    return 10 * major + minor


def _names() -> dict[str, Any]:
    names: dict[str, Any] = {"__builtins__": {}}
    names |= {name: value for name, value in vars(torch).items() if isinstance(value, torch.dtype)}
    functions: dict[str, Callable[[Any], Any]] = {
        "present": lambda value: value is not None,
        "len": len,
        "numel": lambda tensor: tensor.numel(),
        "contiguous": lambda tensor: tensor.is_contiguous(),
        "capability": _capability,
    }
    return names | functions
