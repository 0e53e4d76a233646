"""From an interface and a call spec to a built entry: what an operator's body asks for at each call."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from typing import Any, ClassVar

import torch

from opyard import _C
from opyard._build_once import Holder, build_once, keep
from opyard._call_spec import DEVICE_FACTS, check_spec, typed, with_device, with_facts
from opyard._contracts import check_contracts
from opyard._kernel import Kernel, KernelInterface, kernels_in, limits
from opyard._registered import registered_types
from opyard.errors import ContractTypeError, ContractValueError, OpNotAvailableError

CALLS_KEPT = 1024
ENTRIES_KEPT = 4096


def device_current(device: torch.device | None) -> AbstractContextManager[Any]:
    """Makes a device current, where it is of the accelerator's type; another one is left alone."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if device is None or device.index is None or accelerator is None or device.type != accelerator.type:
        return nullcontext()
    return torch.accelerator.device_index(device.index)


class KernelLookup:
    """Only this class holds entries. A body asks `kernel_for` at each call and stores nothing."""

    kernel_types: ClassVar[Mapping[str, type[Kernel]]] = {}
    interfaces: ClassVar[Mapping[str, type[KernelInterface]]] = {}

    _name: ClassVar[str]
    _instance_key: str
    _share_entries = True
    _tune_requested = False
    # An operator that is only declared has none of its own: its entries are the core's.
    _entries_by_call: dict[Any, Holder] = {}
    _built_entries: dict[str, dict[Any, Holder]] = {}

    def _install_kernel_types(self) -> bool:
        table = dict(self.kernel_types)
        for key, cls in registered_types(self._name).items():
            if key in table:
                raise ContractValueError(
                    f"{self._name}: implementation {key!r} is given twice: {table[key].__name__} by the operator, "
                    f"{cls.__name__} by a backend"
                )
            table[key] = cls
        self._keys_by_interface = check_contracts(self._name, table, self.interfaces)
        self._installed_kernel_types: dict[str, type[Kernel]] = table
        self._drop_entries()
        return bool(table) or bool(self.interfaces)

    def _drop_entries(self) -> None:
        self._entries_by_call = {}
        self._built_entries = {}

    def kernel_for(self, interface: str, call: Any) -> Any:
        """The entry that serves this call, built if it is the first of its kind."""
        self._confirm(interface)
        call = with_device(call)
        key = (interface, typed(call), _C.choices_number())
        try:
            found = self._entries_by_call.get(key)
        except TypeError:  # a field that cannot be hashed: the check names it
            found = None
        if found is not None:
            return found.entry
        check_spec(self._name, interface, self.interfaces[interface].request, call, facts_allowed=False)
        holder = self._built(interface, with_facts(call))
        keep(self._entries_by_call, key, holder, CALLS_KEPT)
        return holder.entry

    def key_for(self, interface: str, call: Any) -> str:
        """The key of the implementation that serves this call. Builds nothing; the spec may state device facts."""
        self._confirm(interface)
        call = with_device(call)
        check_spec(self._name, interface, self.interfaces[interface].request, call, facts_allowed=True)
        return self._select(interface, with_facts(call))

    def _confirm(self, interface: str) -> None:
        if interface not in self.interfaces:
            raise OpNotAvailableError(
                f"{self._name}: has no interface {interface!r}; it has: {', '.join(self.interfaces) or 'none'}"
            )

    def _select(self, interface: str, call: Any) -> str:
        facts = {name: getattr(call, name) for name in DEVICE_FACTS if getattr(call, name) is not None}
        facts |= {f.name: getattr(call, f.name) for f in fields(call) if f.name not in (*DEVICE_FACTS, "device")}
        table = self._installed_kernel_types
        candidates = [
            (key, limits(table[key]), lambda cls=table[key]: cls.refusal(call))
            for key in self._keys_by_interface[interface]
        ]
        return _C.select_key(self._name, candidates, call.device, facts)

    def _built(self, interface: str, call: Any) -> Holder:
        key = self._select(interface, call)
        cls = self._installed_kernel_types[key]
        where = f"{self._name}: implementation {key!r} ({cls.__name__})"
        pair = cls.entry_for(call)
        if not (isinstance(pair, tuple) and len(pair) == 2 and callable(pair[1])):
            raise ContractTypeError(f"{where}: entry_for gave {pair!r}; expected an identity and a builder")
        identity = typed(pair[0])
        try:
            hash(identity)
        except TypeError:
            raise ContractTypeError(f"{where}: its identity {pair[0]!r} cannot be hashed") from None
        slot = self._built_entries.setdefault(interface, {})
        if (held := slot.get((cls, identity))) is not None:
            return held
        owner = type(self) if self._share_entries else self._instance_key
        with device_current(call.device):
            holder = build_once((owner, interface, cls, identity), pair[1], where, (self._name, key, identity))
            if self._tune_requested:
                for kernel in kernels_in(holder.entry):
                    kernel.request_tune()
        keep(slot, (cls, identity), holder, ENTRIES_KEPT)
        return holder

    def built_entries(self) -> dict[str, dict[tuple[type[Kernel], Any], Any]]:
        """The entries built so far, by interface, then by implementation and identity."""
        return {
            interface: {key: holder.entry for key, holder in list(slot.items())}
            for interface, slot in list(self._built_entries.items())
        }
