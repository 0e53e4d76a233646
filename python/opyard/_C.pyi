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

def infer(
    op: OpBase, args: tuple[Any, ...], kwargs: dict[str, Any] = ..., *, symbolic: bool = False
) -> list[tuple[tuple[int | torch.SymInt, ...], torch.dtype, tuple[int | torch.SymInt, ...]] | None]:
    """Checks a call and gives each output's shape, dtype and strides, None where it is absent. Runs nothing."""

def load_manifest(path: str) -> list[str]: ...
def validate_manifest(path: str) -> list[str]:
    """Every fault of a file or catalogue folder, a line each."""

def workload_cases(op: str) -> list[dict[str, Any]]:
    """The calls that an entry's rows state: id, params, inputs, construction_tensors, outputs, indices."""

class Manifest:
    """The operators of a file or catalogue folder, checked but not registered."""

    def __init__(self, path: str) -> None: ...
    def operators(self) -> list[str]: ...
    def workload_cases(self, op: str) -> list[dict[str, Any]]: ...
    def infer(
        self,
        op: str,
        params: dict[str, Any],
        construction_tensors: dict[str, torch.Tensor],
        inputs: dict[str, torch.Tensor],
    ) -> list[tuple[tuple[int, ...], torch.dtype, tuple[int, ...]] | None]: ...
def effect_table(op: OpBase) -> dict[tuple[bool, ...], tuple[Any, tuple[tuple[str, int] | None, ...]]]:
    """By presence of the optional inputs: the custom op of such calls, and what each output is."""

def served() -> list[tuple[str, str, int]]: ...
def reset_served() -> None: ...
def route_matmul(on: bool) -> None:
    """Begins or ends one activation of the router in front of aten's mm, addmm and bmm on the CPU."""

def route_counts() -> list[tuple[str, str, int, int]]: ...

class OverrideHandle:
    """Owns an override, of one form of an operator or of all; removes it when it is freed."""

    active: bool
    def remove(self) -> None: ...
    def ids(self) -> list[int]: ...
    def counts(self) -> tuple[int, int]:
        """Calls served, and calls passed over."""

class AtenOriginal:
    """While one lives, this thread's calls of aten meet no override."""

def override_boxed(
    op: str,
    overload: str,
    key: str,
    name: str,
    limits: list[dict[str, Any]],
    expression: str,
    condition: Any,
    implementation: Any,
    all_forms: bool,
) -> OverrideHandle: ...
def override_points() -> list[dict[str, Any]]: ...
def arrange_overrides(order: Sequence[OverrideHandle], off: Sequence[OverrideHandle]) -> None:
    """Tries the first ones in this order, and the others not at all."""

def uninstall_routers() -> None: ...
def measure(
    op: OpBase, calls: Sequence[Sequence[torch.Tensor | None]], budget_s: float
) -> tuple[str, dict[str, float]]:
    """Times the implementations on these calls, fixes the fastest for calls alike; gives it and microseconds a call."""

def fix_measured(op: OpBase, call: Sequence[torch.Tensor | None], implementation: str) -> None: ...
def serving(op: OpBase, call: Sequence[torch.Tensor | None]) -> list[str]:
    """The implementations that serve this call; none where every output is empty."""

def run_by(op: OpBase, call: Sequence[torch.Tensor | None], implementation: str) -> tuple[torch.Tensor | None, ...]:
    """Every output of this call by that implementation. Binds and records nothing."""

def back_by_huge_pages(tensor: torch.Tensor) -> int:
    """Asks the system to; the same values at the same addresses. Gives the bytes that lie in huge pages afterwards."""

def stub(op: str, output: torch.Tensor) -> RegistrationHandle:
    """Registers an implementation that gives `output` at every call, to measure what the runtime costs."""

def declaration(op: str) -> dict[str, Any]:
    """What the manifest says of an operator, text by text."""

def parameters(op: OpBase) -> dict[str, Any]:
    """The parameters of an instance as its declaration reads them: defaults filled in, dtypes as torch.dtype."""

class SampleCase:
    """A valid call drawn from a declaration."""

    @property
    def label(self) -> str: ...
    @property
    def params(self) -> dict[str, Any]: ...
    @property
    def inputs(self) -> dict[str, tuple[tuple[int, ...], torch.dtype] | None]: ...
    @property
    def outputs(self) -> dict[str, tuple[tuple[int, ...], torch.dtype] | None]: ...
    def tensors(self, op: str, device: torch.device) -> dict[str, torch.Tensor | None]: ...

def sample_cases(op: str, small: bool, dtype: torch.dtype | None, instance: OpBase | None) -> list[SampleCase]: ...
def edge_cases(op: str, dtype: torch.dtype | None, instance: OpBase | None) -> list[SampleCase]: ...
def random_cases(op: str, count: int, seed: int) -> list[SampleCase]: ...
def sample_dtypes(op: str) -> list[torch.dtype]: ...
