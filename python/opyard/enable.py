"""`enable` and `disable`: opyard in a model of transformers, and in front of torch's matrix products."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from torch import nn

from opyard import _C
from opyard._routes import Activation, Names, Scope, activate

if TYPE_CHECKING:
    from opyard.models.fall_through import FallThroughRow
    from opyard.models.served_model import ServedModel

# Enabling and disabling is rare and done by one thread at a time; calls of the model take no lock.
_lock = threading.Lock()
_active: list[Handle] = []


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


# In a forked child another thread's hold has nobody to end it.
os.register_at_fork(after_in_child=_renew_lock)

_MEASURE_SECONDS = 0.8


class Handle:
    """One activation. Ends with `disable()`, or as a context manager with its block."""

    def __init__(
        self, model: nn.Module | None, served: ServedModel | None, frozen: bool, activation: Activation
    ) -> None:
        self.model = model
        self.frozen = frozen
        self._served = served
        self._activation = activation

    @property
    def fell_through(self) -> list[FallThroughRow]:
        """What of the model is not served: module, reason, and how many calls its own forward served."""
        return self._served.fall_through.rows() if self._served is not None else []

    def disable(self) -> None:
        with _lock:
            if self in _active:
                _end(self)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *_: object) -> None:
        self.disable()


def enable(
    model: nn.Module | None = None,
    *,
    ops: Names = None,
    dsl: Names = None,
    only: Names = None,
    except_: Names = None,
    scope: Scope = "process",
    freeze: bool | None = None,
) -> Handle:
    """Puts catalogue operators in front of the aten operators that their entries name, and serves the modules of
    `model` by opyard operators.

    `ops` are the catalogue operators that stand in front, all by default; `only` and `except_` the aten operators that
    they stand in front of. A call goes to one where an implementation ahead of aten's own serves it. `dsl` names DSLs
    whose overrides are switched on in the catalogue's place, or beside it where `"opyard"` is among them. With
    `scope="thread"` the routing is the calling thread's; the modules are always the model's own.

    Activations are counted: each is ended by `disable()`, `disable(model)` or the end of its `with` block, and the last
    one puts everything back. An enabled model is kept alive until it is disabled.

    A model in eval mode has the weights of its joined projections laid out one behind the other, in one storage which
    their parameters then view; `freeze=False` leaves every storage alone. `freeze=True` would allow
    implementations to keep copies of the weights; none does yet. It is the default where the model is in eval mode and
    no parameter needs a gradient, and `handle.frozen` tells.
    """
    if model is not None and not isinstance(model, nn.Module):
        raise TypeError(f"enable: argument 'model': expected an nn.Module or None, got {type(model).__name__}")
    with _lock:
        served = _serve(model, freeze) if model is not None else None
        try:
            activation = activate(ops, dsl, only, except_, scope)
        except BaseException:
            if served is not None and all(other.model is not model for other in _active):
                served.put_back()
            raise
        handle = Handle(model, served, _is_frozen(model, freeze), activation)
        _active.append(handle)
    return handle


def disable(model: nn.Module | None = None) -> None:
    """Ends the last activation, or the last one of `model`, that is the process's or this thread's. Does nothing where
    there is none."""
    with _lock:
        for handle in reversed(_active):
            if (model is None or handle.model is model) and handle._activation.is_of_this_thread():
                _end(handle)
                return


def is_active() -> bool:
    """Whether an activation is in force."""
    return bool(_active)


def _is_frozen(model: nn.Module | None, freeze: bool | None) -> bool:
    if model is None or freeze is not None:
        return bool(model is not None and freeze)
    return not (model.training or any(p.requires_grad for p in model.parameters()))


def _serve(model: nn.Module, freeze: bool | None) -> ServedModel:
    served = next((h._served for h in _active if h.model is model and h._served is not None), None)
    if served is None:
        from opyard.models.measure import measure_products
        from opyard.models.served_model import ServedModel

        served = ServedModel(model, lay_out=freeze is not False and not model.training)
        try:
            served.exchange()
            _back_weights(served)
            measure_products(served.product_weights(), _MEASURE_SECONDS)
        except BaseException:
            served.put_back()
            raise
    return served


def _back_weights(served: ServedModel) -> None:
    """Decoding reads every weight once a token: huge pages take most of the cost of finding them."""
    for weights in served.product_weights().values():
        for weight in weights:
            if weight.is_cpu:
                _C.back_by_huge_pages(weight)


def _end(handle: Handle) -> None:
    handle._activation.end()
    _active.remove(handle)
    if handle._served is not None and all(other.model is not handle.model for other in _active):
        handle._served.put_back()
