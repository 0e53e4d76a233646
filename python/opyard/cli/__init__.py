"""The `opyard` command."""

from opyard.cli.app import main

__all__ = ["main"]
