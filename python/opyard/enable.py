"""`enable` and `disable`: opyard in a model of transformers, and in front of torch's matrix products."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from torch import nn

from opyard import _C

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

    def __init__(self, model: nn.Module | None, served: ServedModel | None, frozen: bool) -> None:
        self.model = model
        self.frozen = frozen
        self._served = served

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


def enable(model: nn.Module | None = None, *, freeze: bool | None = None) -> Handle:
    """Routes aten's matrix products on the CPU through opyard, and serves the modules of `model` by opyard operators.

    The routing is the process's, the modules are the model's own. Activations are counted: each is ended by
    `disable()`, `disable(model)` or the end of its `with` block, and the last one puts everything back. An enabled
    model is kept alive until it is disabled.

    A model in eval mode has the weights of its joined projections laid out one behind the other, in one storage which
    their parameters then view; `freeze=False` leaves every storage alone. `freeze=True` would allow
    implementations to keep copies of the weights; none does yet. It is the default where the model is in eval mode and
    no parameter needs a gradient, and `handle.frozen` tells.
    """
    with _lock:
        handle = _begin(model, freeze)
        _active.append(handle)
    return handle


def disable(model: nn.Module | None = None) -> None:
    """Ends the last activation, or the last one of `model`. Does nothing where there is none."""
    with _lock:
        for handle in reversed(_active):
            if model is None or handle.model is model:
                _end(handle)
                return


def is_active() -> bool:
    """Whether an activation is in force."""
    return bool(_active)


def _begin(model: nn.Module | None, freeze: bool | None) -> Handle:
    if model is None:
        _C.route_matmul(True)
        return Handle(None, None, frozen=False)
    if not isinstance(model, nn.Module):
        raise TypeError(f"enable: argument 'model': expected an nn.Module or None, got {type(model).__name__}")
    frozen = freeze if freeze is not None else not (model.training or any(p.requires_grad for p in model.parameters()))
    served = next((h._served for h in _active if h.model is model), None)
    if served is None:
        from opyard.models.measure import measure_products
        from opyard.models.served_model import ServedModel

        served = ServedModel(model, lay_out=freeze is not False and not model.training)
        try:
            served.exchange()
            _back_weights(served)
            measure_products(served.product_weights(), _MEASURE_SECONDS)
            _C.route_matmul(True)
        except BaseException:
            served.put_back()
            raise
    else:
        _C.route_matmul(True)
    return Handle(model, served, frozen)


def _back_weights(served: ServedModel) -> None:
    """Decoding reads every weight once a token: huge pages take most of the cost of finding them."""
    for weights in served.product_weights().values():
        for weight in weights:
            if weight.is_cpu:
                _C.back_by_huge_pages(weight)


def _end(handle: Handle) -> None:
    _active.remove(handle)
    _C.route_matmul(False)
    if handle._served is not None and all(other.model is not handle.model for other in _active):
        handle._served.put_back()
