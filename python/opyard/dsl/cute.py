"""CuTe DSL programs as cubins."""

from __future__ import annotations

import inspect
import threading
from typing import Any

from opyard.dsl.program import Compiled, module_of

# A compilation sets the process's own context: a build in another thread waits.
_LOCK = threading.Lock()


def compile_program(
    source: str, function: str, parameters: list[tuple[str, str]], constants: dict[str, Any], arch: str
) -> Compiled:
    """The function launches one kernel, `<function>_kernel`, in blocks of the constant "threads". Both take pointers,
    numbers and constants by the program's names: a cubin with such parameters needs no launcher of the language's."""
    import cutlass
    import cutlass.cute as cute
    from cutlass.cute.runtime import make_ptr

    numbers = {"i32": cutlass.Int32, "i64": cutlass.Int64, "fp32": cutlass.Float32}
    elements = {"bf16": cutlass.BFloat16, "fp16": cutlass.Float16, "fp32": cutlass.Float32}

    def example(kind: str) -> Any:
        if kind.startswith("*"):
            return make_ptr(elements[kind[1:]], 16, cute.AddressSpace.gmem, assumed_align=16)
        return numbers[kind](1)

    with _LOCK, module_of(source) as (module, folder):
        launch = getattr(module, function)
        taken = [name for name in inspect.signature(launch).parameters if name not in constants]
        kinds = dict(parameters)
        options = f"--gpu-arch {arch} --keep-cubin --dump-dir={folder}"
        arguments = {name: example(kinds[name]) for name in taken} | constants
        compiled = cute.compile(launch, *arguments.values(), options=options)
        kernel = inspect.signature(getattr(module, f"{function}_kernel")).parameters
    (name,) = compiled.kernel_info
    names = [name for name, _ in parameters]
    return Compiled(
        function=name,
        threads=constants["threads"],
        shared_bytes=0,  # what it allocates is static
        cluster=1,
        parameters=[
            names.index(parameter) for parameter in kernel if parameter in names and parameter not in constants
        ],
        image=compiled.__cubin__,
    )
