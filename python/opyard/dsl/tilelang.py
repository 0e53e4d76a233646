"""TileLang programs as cubins: lowered to CUDA C++, which NVRTC compiles."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

from opyard import _C
from opyard.dsl.program import Compiled, module_of

# The names that its `dtype` has for Triton's.
_DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}
# The target in force is the process's: a build in another thread waits.
_LOCK = threading.Lock()


def compile_program(
    source: str, function: str, parameters: list[tuple[str, str]], constants: dict[str, Any], arch: str
) -> Compiled:
    """The function is called with `constants` and "dtype", the first pointer's, and gives a prim_func; its parameters,
    and the shapes' free variables, are program parameters by name."""
    import tilelang
    from tilelang import tvm

    dtype = next(_DTYPES[kind[1:]] for _, kind in parameters if kind.startswith("*"))
    target = tvm.target.Target({"kind": "cuda", "arch": arch})
    with _LOCK, module_of(source) as (module, _), target:
        lowered = tilelang.lower(getattr(module, function)(dtype=dtype, **constants), target=target)
    ((variable, device),) = lowered.device_mod.functions.items()
    extent = device.attrs["thread_extent"]
    threads = 1
    for axis in ("threadIdx.x", "threadIdx.y", "threadIdx.z"):
        threads *= int(extent[axis]) if axis in extent else 1
    names = [name for name, _ in parameters]
    name, image = _C.compile_cuda(
        "#include <tl_templates/cuda/nvrtc_std.h>\n" + lowered.kernel_source,
        variable.name_hint,
        arch,
        ["-DENABLE_BF16", *(f"-I{folder}" for folder in _headers(Path(tilelang.__file__).parent))],
    )
    return Compiled(
        function=name,
        threads=threads,
        shared_bytes=int(device.attrs["dyn_shared_memory_buf"]) if "dyn_shared_memory_buf" in device.attrs else 0,
        cluster=1,
        parameters=[names.index(parameter.name) for parameter in device.params],
        image=image,
    )


def _headers(package: Path) -> list[Path]:
    """Its own templates and CUTLASS's, and those of CUDA: from a package beside this Python's others, or a toolkit."""
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    candidates = [Path(folder, "nvidia/cu13") for folder in sys.path] + [toolkit]
    found = next((root / "include" for root in candidates if (root / "include/cuda_bf16.h").exists()), None)
    if found is None:
        raise FileNotFoundError("the headers of CUDA: pip install nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt")
    return [package / "src", package / "3rdparty/cutlass/include", found, found / "cccl"]
