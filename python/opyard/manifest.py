"""A user's own manifests."""

from __future__ import annotations

import os

from opyard import _C


def load_manifest(path: str | os.PathLike[str]) -> list[str]:
    """Reads a manifest file, or a folder of them, and registers its operators; they are in `opyard.ops` from then on.

    Returns their names. All of them are registered, or none: ManifestError lists every fault as file:line:column.
    """
    return _C.load_manifest(os.fspath(path))
