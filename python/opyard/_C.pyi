"""The compiled core: what the Python package calls of it."""

from collections.abc import Sequence
from typing import Any

import torch

class OpBase:
    """The C type under every operator class: calls arrive by vectorcall."""

    _instance_key: str
    def _construct(self, op: str, params: dict[str, Any], target: str | None) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class RegistrationHandle:
    """Owns a registration."""

    def remove(self) -> None: ...

def restore_vectorcall(cls: type) -> None: ...
def operators() -> list[str]: ...
def describe(op: str) -> dict[str, Any]: ...
def last_call(op: OpBase) -> dict[str, Any] | None: ...
def serving_target(op: OpBase) -> str | None: ...
def spec_text(op: OpBase) -> str: ...
def explain(op: OpBase, *args: Any, **kwargs: Any) -> str:
    """The implementation chosen for this call, and each other one's refusal. Runs and builds nothing."""

def effect_table(op: OpBase) -> dict[tuple[bool, ...], tuple[Any, tuple[tuple[str, int] | None, ...]]]:
    """By presence of the optional inputs: the custom op of such calls, and what each output is."""

def served() -> list[tuple[str, str, int]]: ...
def reset_served() -> None: ...
def route_matmul(on: bool) -> None:
    """Begins or ends one activation of the router in front of aten's mm, addmm and bmm on the CPU."""

def route_counts() -> list[tuple[str, str, int, int]]: ...
def measure(
    op: OpBase, calls: Sequence[Sequence[torch.Tensor | None]], budget_s: float
) -> tuple[str, dict[str, float]]:
    """Times the implementations on these calls, fixes the fastest for calls alike; gives it and microseconds a call."""

def fix_measured(op: OpBase, call: Sequence[torch.Tensor | None], implementation: str) -> None: ...
def back_by_huge_pages(tensor: torch.Tensor) -> int:
    """Asks the system to; the same values at the same addresses. Gives the bytes that lie in huge pages afterwards."""

def stub(op: str, output: torch.Tensor) -> RegistrationHandle:
    """Registers an implementation that gives `output` at every call, to measure what the runtime costs."""
