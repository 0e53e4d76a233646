"""TORCH_LOGS=native_dsl shows these modules' records too."""

from __future__ import annotations

import logging


def follow_torch_logs() -> None:
    """Gives our loggers the level that TORCH_LOGS set for torch._native, and its handlers."""
    theirs = logging.getLogger("torch._native")
    ours = logging.getLogger("opyard.native")
    if theirs.level == logging.NOTSET:
        return
    ours.setLevel(theirs.level)
    ours.propagate = False  # torch's handlers are enough
    for handler in theirs.handlers or logging.getLogger("torch").handlers:
        ours.addHandler(handler)
