"""What the command refuses, as one line on stderr and exit status 2."""

from __future__ import annotations


class CliError(Exception):
    """A wrong argument or a missing thing, said in one line."""
