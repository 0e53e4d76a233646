"""The class under every operator, and the record of a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch

from opyard import _C
from opyard._classes import prepare_written
from opyard._composite import Composite
from opyard._copies import copy_of, reduced, restore
from opyard._kernel import Kernel, kernels_in
from opyard._kernel_lookup import KernelLookup, device_current
from opyard.backends import load_backends
from opyard.targets import Target, core_name, public_target


@dataclass(frozen=True)
class SignatureCall:
    """The facts of one completed call.

    `tensors` maps the name of each present input and output to (shape in elements, dtype name); `indices` holds the
    dims, shapes and dtypes that the call solved; `stages` the calls of held sub-operators, in order of completion.
    """

    operator: str
    implementation: str
    target: str
    device: torch.device
    params: dict[str, Any]
    indices: dict[str, Any]
    tensors: dict[str, tuple[tuple[int, ...], str]]
    stages: dict[str, tuple[SignatureCall, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> SignatureCall:
        stages = {stage: tuple(map(cls.of, calls)) for stage, calls in facts["stages"].items()}
        return cls(**{**facts, "stages": stages})


class Op(_C.OpBase, KernelLookup, Composite):
    """A constructed operator: checks a call, selects an implementation, builds it once, runs it, records it.

    A subclass assigns its manifest parameters to attributes of the same name and ends by calling
    `super().__init__(target=target)`. One that defines `forward` computes its calls there.
    """

    injected_parameters: ClassVar[tuple[str, ...]] = ()
    spec: ClassVar[Mapping[str, Any] | None] = None
    dtype: Any = None

    _name: ClassVar[str] = ""
    _parameters: ClassVar[tuple[str, ...]] = ()
    _overload: ClassVar[Any] = None
    _has_effects: ClassVar[bool] = False
    _written: ClassVar[bool] = False
    compile_op_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        prepare_written(cls)
        # A `__call__` that a subclass writes itself is called as any other method.
        if getattr(cls.__call__, "_generated", cls.__call__ is _C.OpBase.__call__):
            _C.restore_vectorcall(cls)

    def __init__(self, *, target: Target | None = None) -> None:
        if torch.compiler.is_compiling():
            raise RuntimeError(f"{type(self).__name__}: constructed in traced code; construct it before, outside of it")
        self.target = target
        load_backends()
        if not self._name:
            return  # nothing is declared: a call says so
        values = {name: getattr(self, name) for name in self._parameters}
        if self.injected_parameters:
            self._share_entries = all(getattr(self, name, None) is None for name in self.injected_parameters)
        self._construct(self._name, values, core_name(target), self._install_kernel_types if self._written else None)
        if self._has_effects:
            self._effects = _C.effect_table(self)
        if self._written:
            self._declare_stages()

    @property
    def _construction_indices(self) -> dict[str, Any]:
        return _C.construction_indices(self)

    @property
    def last_call(self) -> SignatureCall:
        """The newest completed call. RuntimeError before any."""
        facts = _C.last_call(self)
        if facts is None:
            raise RuntimeError(f"{self._name}: no call has completed yet, so there is no record of one")
        return SignatureCall.of(facts)

    @property
    def serving_target(self) -> Target | None:
        """Who serves this instance: opyard.BUILTIN, a target's name, or None before a call selected it."""
        return public_target(_C.serving_target(self))

    def warmup(self, *specs: Any, arch: str | None = None, **named: Any) -> str | None:
        """Makes one call ready ahead: `specs`, an opyard.TensorSpec or a tensor each, stand for its arguments. The
        first such call then builds and loads nothing, so that it may be captured into a CUDA graph.

        With `arch`, such as "sm_90a", it is compiled for that architecture into the artefact store and nothing else;
        the device need not be here. Returns the implementation that was compiled.
        """
        from opyard._warm_up import warm_up

        return warm_up(self, specs, named, arch)

    def iter_kernels(self) -> Iterator[Kernel]:
        """Each kernel in the entries built so far, once, then those of held sub-operators."""
        seen: set[int] = set()
        for _, kernel in _kernels(self):
            if id(kernel) not in seen:
                seen.add(id(kernel))
                yield kernel

    def request_tune(self) -> None:
        """Asks every kernel, built or yet to be built, here and in held sub-operators, to choose its configuration, and
        has the choice between implementations that tie for a call made by measuring. Choices are kept for the machine.
        """
        for op in (self, *self._all_delegates()):
            op._tune_requested = True
            _C.request_tune(op)
        for identity, kernel in _kernels(self):
            with device_current(_device_in(identity)):
                kernel.request_tune()

    __deepcopy__ = copy_of
    __copy__ = lambda self: copy_of(self, {})  # noqa: E731
    __reduce__ = reduced
    __setstate__ = restore

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._parameters)
        return f"{self._name or type(self).__name__}({shown})"


def _kernels(op: Op) -> Iterator[tuple[Any, Kernel]]:
    """The kernels of an operator with their identities, then those of its sub-operators."""
    for held in (op, *op._all_delegates()):
        for entries in held.built_entries().values():
            for (_, identity), entry in entries.items():
                for kernel in kernels_in(entry):
                    yield identity, kernel


def _device_in(identity: Any) -> torch.device | None:
    """The device that a typed identity names, if it does."""
    if isinstance(identity, torch.device):
        return identity
    if isinstance(identity, tuple):
        return next((found for item in identity if (found := _device_in(item)) is not None), None)
    return None
