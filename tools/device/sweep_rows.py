"""Bandwidth of the row kernels by the shape of their blocks: what lib/cuda/row_shape.h chooses from. JSON."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Iterator

import torch
from rows import SHAPES
from timing import terabytes

from opyard import _C

_PACK = 8  # elements of bfloat16
_THREADS_OF_AN_SM = 2048


class Tensors(ctypes.Structure):
    """RowTensors of lib/cuda/rows.cuh."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("x", "residual", "weight", "bias", "y", "total")),
        *((name, ctypes.c_longlong) for name in ("rows", "columns", "stride", "residual_stride")),
        ("eps", ctypes.c_float),
    ]


def shapes(packs: int) -> Iterator[tuple[int, int, int, int]]:
    """(threads, rows of a block, packs of a thread, blocks of a multiprocessor)"""
    for held in (1, 2, 4, 8):
        threads = packs // held
        if threads < 4 or threads > 1024 or threads * held != packs:
            continue
        for block in (128, 256):
            rows = max(block // threads, 1)
            if rows > 1 or block == 128:
                for share in (2, 4, 8):
                    blocks = _THREADS_OF_AN_SM // share * 2 // (threads * rows)
                    if blocks >= 1:
                        yield threads, rows, held, blocks


def launcher(driver: ctypes.CDLL, name: str, arch: str):
    function, image = _C.compile_cuda("#include <lib/cuda/rows.cuh>\n", name, arch, [])
    module, handle = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), image) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(handle), module, function.encode()) == 0

    def launch(grid: int, block: int, tensors: Tensors) -> None:
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        values = (ctypes.c_void_p * 1)(ctypes.addressof(tensors))
        assert driver.cuLaunchKernel(handle, grid, 1, 1, block, 1, 1, 0, stream, values, None) == 0

    return launch


def main() -> None:
    driver = ctypes.CDLL("libcuda.so.1")
    major, minor = torch.cuda.get_device_capability()
    arch = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
    table = []
    for kind, parts in (
        ("RmsNorm", "false, true, false"),
        ("LayerNorm", "false, true, true"),
        ("RmsNorm", "true, true, false"),
    ):
        for rows, columns in SHAPES:
            x, residual, y, total = (torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16) for _ in range(4))
            part = torch.randn(columns, device="cuda", dtype=torch.bfloat16)
            tensors = Tensors(
                *(t.data_ptr() for t in (x, residual, part, part, y, total)), rows, columns, columns, columns, 1e-6
            )
            moved = (4 if parts.startswith("true") else 2) * x.numel() * 2
            found = {}
            for threads, count, held, blocks in shapes(columns // _PACK):
                shape = f"{threads}, {count}, {held}, true, {blocks}"
                name = f"opyard::held_rows<opyard::{kind}, opyard::bfloat16, opyard::Parts<{parts}>, {shape}>"
                launch = launcher(driver, name, arch)
                grid, block = (rows + count - 1) // count, threads * count
                found[shape] = terabytes(lambda: launch(grid, block, tensors), moved, rep=40)  # noqa: B023
            best = sorted(found.items(), key=lambda row: -row[1])
            table.append({"function": kind, "parts": parts, "rows": rows, "columns": columns, "shapes": dict(best)})
            print(kind, parts, rows, columns, best[:6], file=sys.stderr, flush=True)
    print(json.dumps(table))


if __name__ == "__main__":
    main()
