"""What `import opyard` adds to `import torch`, in fresh processes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from timing import figure

_CODE = """
import resource, time
import torch
time_before, memory_before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import opyard, opyard.ops
print(time.perf_counter() - time_before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory_before)
"""


def figures() -> list[dict[str, Any]]:
    runs = [subprocess.run([sys.executable, "-c", _CODE], check=True, capture_output=True, text=True) for _ in range(5)]
    rows = [tuple(float(word) for word in run.stdout.split()) for run in runs]
    seconds, kibibytes = (min(column) for column in zip(*rows))
    return [figure("import_ms", seconds * 1e3, "ms"), figure("import_mib", kibibytes / 1024, "MiB")]
