"""What an error must say, in whatever order."""

from __future__ import annotations

import re


def says(*parts: str) -> str:
    """A pattern for texts that have every part."""
    return "(?s)" + "".join(f"(?=.*{re.escape(part)})" for part in parts)
