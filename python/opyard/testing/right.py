"""What a call must give, by the reference that its entry names."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import torch

from opyard import _C
from opyard.testing.calls import SampleCall

# Of entries that state none for a dtype.
_TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-5, torch.bfloat16: 1.6e-2, torch.float16: 2e-3}

Values = tuple[torch.Tensor | None, ...]


def right_values(call: SampleCall, wide: bool = True) -> Values:
    """What the entry's `reference` gives for the call, a value for each output; floating inputs in float64 if `wide`.

    The reference sees copies of the inputs (None where absent) and the parameters, by name. Raises LookupError for an
    entry without a reference.
    """
    given = next((tensor for tensor in inputs_of(call) if tensor is not None), None)
    with torch.device("cpu" if given is None else given.device):  # what the reference makes of its own lies there too
        value = reference_of(call, wide)()
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def reference_of(call: SampleCall, wide: bool = True) -> Callable[[], Any]:
    """The reference bound to copies of the call's inputs, made once: for timing it beside the operator."""
    facts = _facts(call)
    reference = facts["reference"]
    if not reference:
        raise LookupError(f"{call.operator._name}, declared at {facts['declared_at']}, names no reference")
    names = {name: _wider(value) if wide else value for name, value in _C.parameters(call.operator).items()}
    for tensor, given in zip(facts["inputs"], inputs_of(call)):
        names[tensor["name"]] = None if given is None else _copy(given, wide)
    if "(" in reference:  # an expression of a manifest that came with this package, or that its user loaded
        code = compile(reference, f"<reference of {call.operator._name}>", "eval")
        return functools.partial(eval, code, {**names, "torch": torch})
    module, _, function = reference.rpartition(".")
    return functools.partial(getattr(importlib.import_module(module), function), **names)


def tolerance_of(operator: str, dtype: torch.dtype) -> float:
    """How far a result of that dtype may lie from the right value, absolutely and relative to it. 0 for integers."""
    if not (dtype.is_floating_point or dtype.is_complex):
        return 0.0
    stated = _declaration(operator)["tolerance"] or {}
    return float(stated.get(str(dtype).removeprefix("torch."), _TOLERANCE.get(dtype, 1e-2)))


def implementations_serving(call: SampleCall) -> list[str]:
    """The keys of all implementations that serve the call, chosen or not; none where every output is empty."""
    return _C.serving(call.operator, inputs_of(call))


def wrong_results(call: SampleCall, implementations: Sequence[str | None] = (None,)) -> list[str]:
    """Runs the call by each implementation, None standing for the one selected; a sentence for each wrong output.

    A value is right within the entry's tolerance of the reference in float64, or of the reference in the call's own
    dtype: what torch gives there is no fault of the operator.
    """
    exact_values = right_values(call)
    right = exact_values, _own_values(call, len(exact_values))
    wrong = []
    for implementation in implementations:
        outputs = _run(call, implementation)
        by = implementation or "the selected implementation"
        for declared, got, exact, torchs in zip(_facts(call)["outputs"], outputs, *right, strict=True):
            if torchs is not None and got is not None and not _facts(call)["inputs"]:
                torchs = torchs.to(got.dtype)  # without inputs a reference has no dtype to follow
            difference = _difference(call.operator._name, got, exact, torchs)
            if difference:
                wrong.append(f"{call.operator!r} [{call.label}] by {by}: {declared['name']}: {difference}")
    return wrong


def _own_values(call: SampleCall, count: int) -> Values:
    """The reference in the call's own dtype; nothing where torch has no kernel for it."""
    try:
        return right_values(call, wide=False)
    except NotImplementedError:
        return (None,) * count


def assert_right(call: SampleCall, implementation: str | None = None) -> None:
    """Raises AssertionError where `wrong_results` finds one."""
    wrong = wrong_results(call, [implementation])
    if wrong:
        raise AssertionError("\n".join(wrong))


def inputs_of(call: SampleCall) -> list[torch.Tensor | None]:
    """The call's tensors in the order of the signature."""
    by_position = iter(call.args)
    declared = _facts(call)["inputs"]
    tensors = {
        t["name"]: next(by_position) for t in declared if not (t["optional"] or t["present_when"] or t["kw_only"])
    }
    tensors.update(call.kwargs)
    return [tensors.get(t["name"]) for t in declared]


@functools.lru_cache(maxsize=512)
def _declaration(operator: str) -> dict[str, Any]:
    return _C.declaration(operator)


def _facts(call: SampleCall) -> dict[str, Any]:
    return _declaration(call.operator._name)


def _copy(tensor: torch.Tensor, wide: bool) -> torch.Tensor:
    return tensor.double() if wide and tensor.is_floating_point() else tensor.clone()


def _wider(value: Any) -> Any:
    """A dtype to compute in becomes float64; one to store in, of 8 bits, stays."""
    return torch.float64 if value in (torch.float16, torch.bfloat16, torch.float32) else value


def _twin(tensor: torch.Tensor) -> torch.Tensor:
    """A copy that lies in memory as the tensor does."""
    elements = tensor.untyped_storage().nbytes() // tensor.element_size()
    storage = tensor.as_strided((elements,), (1,), 0).clone()
    return storage.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _run(call: SampleCall, implementation: str | None) -> Values:
    if any(tensor["mutated"] for tensor in _facts(call)["inputs"]):  # the next run reads what this one would write
        kwargs = {name: _twin(tensor) for name, tensor in call.kwargs.items()}
        call = call._replace(args=tuple(_twin(tensor) for tensor in call.args), kwargs=kwargs)
    if implementation is not None:
        return _C.run_by(call.operator, inputs_of(call), implementation)
    result = call.operator(*call.args, **call.kwargs)
    return result if isinstance(result, tuple) else (result,)


def _difference(
    operator: str, got: torch.Tensor | None, exact: torch.Tensor | None, torchs: torch.Tensor | None
) -> str:
    """What is wrong with one output; "" when nothing is."""
    if got is None or exact is None:
        return "" if got is None and exact is None else f"present {got is not None}, expected {exact is not None}"
    if got.shape != exact.shape:
        return f"shape {tuple(got.shape)}, expected {tuple(exact.shape)}"
    if torchs is not None and got.dtype != torchs.dtype:
        # Some references keep in half precision what is declared as float32.
        if not (got.dtype == torch.float32 and torchs.dtype in (torch.float16, torch.bfloat16)):
            return f"dtype {got.dtype}, expected {torchs.dtype}"
        torchs = None
    tolerance = tolerance_of(operator, got.dtype)
    value = _comparable(got)
    wanted = [_comparable(t.to(got.dtype)) for t in (exact, torchs) if t is not None]
    right = [torch.isclose(value, want, rtol=tolerance, atol=tolerance, equal_nan=True) for want in wanted]
    wrong = (~functools.reduce(torch.logical_or, right)).nonzero()
    if len(wrong) == 0:
        return ""
    at = tuple(wrong[0].tolist())
    return (
        f"{len(wrong)} of {got.numel()} values are wrong, the first at {at}: got {value[at].item()}, expected "
        f"{wanted[0][at].item()} within {tolerance} ({got.dtype})"
    )


def _comparable(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor
