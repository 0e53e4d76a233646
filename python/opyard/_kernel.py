"""What an author of an implementation writes: an interface's call, and a kernel for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

from opyard._tuning import fastest_config


class KernelInterface(ABC):
    """What an operator's body asks of a kernel. `request` is the type of its call spec."""

    request: ClassVar[type]

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The arguments that the body gives: those before `*` by position, the others by name."""


class Kernel:
    """An implementation: where it runs, which calls it serves, how it is built. Written beside an interface:
    `class Rows(opyard.Kernel, RowScaleInterface)`."""

    devices: ClassVar[frozenset[str] | set[str]] = frozenset({"cuda"})
    supported_archs: ClassVar[Sequence[int] | None] = None
    general: ClassVar[bool] = False
    preferred_over: ClassVar[frozenset[str] | set[str]] = frozenset()
    autotune_configs: ClassVar[Sequence[Mapping[str, Any]] | None] = None
    default_config: ClassVar[Mapping[str, Any]] = {}

    config: Mapping[str, Any] = {}
    _tune_requested = False

    @classmethod
    def refusal(cls, call: Any) -> str | None:
        """Why this class does not serve the call, as a sentence naming the limit; None where it does."""
        return None

    @classmethod
    def entry_for(cls, call: Any) -> tuple[Hashable, Callable[[], Any]]:
        """The identity, with every fact that changes what is built, and a builder that takes nothing."""
        return call, lambda: cls(call)  # type: ignore[call-arg]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._tune_requested:
            self._tune(args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def request_tune(self) -> None:
        """Asks for one choice among `autotune_configs`, made at the next call: by measuring, unless this machine did so
        before for such a call. Without configs, nothing."""
        self._tune_requested = bool(self.autotune_configs)

    def _tune(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._tune_requested = False  # if a candidate raises, this kernel is no longer in tuned mode
        self.config = fastest_config(self, args, kwargs)


def limits(cls: type[Kernel]) -> dict[str, Any]:
    """What selection reads of an implementation."""
    return {
        "devices": sorted(cls.devices),
        "supported_archs": cls.supported_archs,
        "general": cls.general,
        "preferred_over": sorted(cls.preferred_over),
    }


def kernels_in(entry: Any) -> Iterator[Kernel]:
    """Each kernel of an entry: itself, or those in a sequence or in the fields of a record."""
    if isinstance(entry, Kernel):
        yield entry
    elif isinstance(entry, (tuple, list)):
        for item in entry:
            yield from kernels_in(item)
    elif is_dataclass(entry) and not isinstance(entry, type):
        for f in fields(entry):
            yield from kernels_in(getattr(entry, f.name))
