"""Call specs: immutable values with every fact that selection and building read."""

from __future__ import annotations

import dataclasses
import enum
import struct
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import torch

from opyard import _C

_PLAIN = (bool, int, str, torch.dtype, torch.device, enum.Enum)


@dataclass(frozen=True)
class CallSpec:
    """Base of call specs, which are frozen dataclasses. The device facts are filled in from the device on a miss;
    stated ones are for `key_for` alone, so that dispatch can be tested for a device that is not here."""

    device: torch.device | None
    arch: int | None = field(default=None, compare=False, kw_only=True, repr=False)
    sm_count: int | None = field(default=None, compare=False, kw_only=True, repr=False)
    smem_budget: int | None = field(default=None, compare=False, kw_only=True, repr=False)
    calibration: str | None = field(default=None, compare=False, kw_only=True, repr=False)


DEVICE_FACTS = ("arch", "sm_count", "smem_budget", "calibration")


def typed(value: Any) -> Any:
    """A value that is equal only to one of the same type and content: 1, 1.0 and True differ, floats by their bits."""
    kind = type(value)
    if kind is float:
        return kind, struct.pack("d", value)
    if kind is tuple:
        return kind, tuple(map(typed, value))
    if kind is frozenset:
        return kind, frozenset(map(typed, value))
    if is_dataclass(value) and not isinstance(value, type):
        return kind, tuple(typed(getattr(value, f.name)) for f in fields(value) if f.compare)
    return kind, value


def with_device(call: Any) -> Any:
    """The spec with the accelerator's current device, where it names none, or one without an index."""
    device = getattr(call, "device", None)
    if not isinstance(call, CallSpec) or (device is not None and (device.index is not None or device.type == "cpu")):
        return call
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if accelerator is None or (device is not None and device.type != accelerator.type):
        return call
    return dataclasses.replace(call, device=torch.device(accelerator.type, torch.accelerator.current_device_index()))


def with_facts(call: Any) -> Any:
    """The spec with its device's facts, where they are not stated."""
    device = call.device
    facts: dict[str, Any] = {"arch": -1, "sm_count": 0, "smem_budget": 0}
    if device is not None and device.type == "cpu":
        facts["arch"] = _C.device_arch(device)
    elif device is not None and device.type == "cuda" and torch.cuda.is_available():  # not one that is only asked about
        properties = torch.cuda.get_device_properties(device)
        facts |= {
            "arch": 10 * properties.major + properties.minor,
            "sm_count": properties.multi_processor_count,
            "smem_budget": getattr(properties, "shared_memory_per_block_optin", 0),
        }
    return dataclasses.replace(call, **{name: v for name, v in facts.items() if getattr(call, name) is None})


def check_spec(op: str, interface: str, request: type[Any], call: Any, *, facts_allowed: bool) -> None:
    """TypeError unless the spec has the interface's type and only fields that can key a cache."""
    where = f"{op}: call spec of interface {interface!r}"
    if type(call) is not request:
        raise TypeError(f"{where}: expected {request.__name__}, got {type(call).__name__}")
    for f in fields(call):
        value = getattr(call, f.name)
        if f.name in DEVICE_FACTS:
            if value is not None and not facts_allowed:
                raise TypeError(f"{where}: field {f.name!r} states a fact of the device; only key_for takes one")
        elif (bad := _bad_part(value)) is not None:
            raise TypeError(
                f"{where}: field {f.name!r} cannot key a cache: expected None, bool, int, float, str, dtype, device, "
                f"enum, tuple, frozenset or a frozen dataclass of them, got {type(bad).__name__}"
            )


def _bad_part(value: Any) -> Any:
    if value is None or isinstance(value, _PLAIN) or type(value) is float:
        return None
    if isinstance(value, (tuple, frozenset)):
        return next((bad for item in value if (bad := _bad_part(item)) is not None), None)
    if is_dataclass(value) and not isinstance(value, type) and value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return next((bad for f in fields(value) if (bad := _bad_part(getattr(value, f.name))) is not None), None)
    return value
