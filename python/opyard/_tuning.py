"""Which of a kernel's configurations is ahead on this machine: measured once, then kept in the artefact store."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from opyard import _C

if TYPE_CHECKING:
    from opyard._kernel import Kernel

ROUNDS = 4  # the first one warms up, and is only beaten


def fastest_config(kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
    """The configuration stored for such a call, or the fastest one on the call's own arguments."""
    configs = [kernel.default_config, *(kernel.autotune_configs or ())]

    def measured() -> str:
        seconds = [_seconds(kernel, config, args, kwargs) for config in configs]
        return str(seconds.index(min(seconds)))

    number = _C.stored_text(_key(kernel, configs, args, kwargs), measured)
    if not number.isdigit() or int(number) >= len(configs):
        number = measured()  # the file was altered
    return configs[int(number)]


def _seconds(kernel: Kernel, config: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    before, kernel.config = kernel.config, config
    best = float("inf")
    try:
        for _ in range(ROUNDS):
            # Copies: a kernel may write, and the call itself is still to come.
            copies = [arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in args]
            start = time.perf_counter()
            kernel.forward(*copies, **kwargs)
            if torch.accelerator.is_available():
                torch.accelerator.synchronize()
            best = min(best, time.perf_counter() - start)
    finally:
        kernel.config = before
    return best


def _key(kernel: Kernel, configs: list[Mapping[str, Any]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Everything that a measurement depends on: the kernel's code, its configurations, the call, the machine."""
    cls = type(kernel)
    code = getattr(cls.forward, "__code__", None)
    given: dict[int | str, Any] = dict(enumerate(args)) | kwargs
    device = next((x.device for x in given.values() if isinstance(x, torch.Tensor)), torch.device("cpu"))
    lines = [
        f"configuration 1: {cls.__module__}.{cls.__qualname__}",
        repr(code and (code.co_code, code.co_names, [c for c in code.co_consts if not hasattr(c, "co_code")])),
        repr([sorted(config.items()) for config in configs]),
        *(f"{name}: {_facts(value)}" for name, value in given.items()),
        _C.device_identity(device),
    ]
    return "\n".join(lines)


def _facts(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{value.dtype} {tuple(value.shape)} {value.stride()} {value.device}"
    return repr(value)
