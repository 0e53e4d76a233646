"""A manifest entry that is given as Python values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def as_yaml(value: Any) -> str:
    """As flow YAML: JSON, but for floats, which YAML knows by their point."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {as_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(as_yaml, value)) + "]"
    if isinstance(value, float) and "e" in repr(value):
        mantissa, exponent = repr(value).split("e")
        return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent}"
    return json.dumps(value)
