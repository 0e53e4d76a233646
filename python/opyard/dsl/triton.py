"""Triton programs as cubins."""

from __future__ import annotations

import threading
from typing import Any

from opyard.dsl.program import NOTHING, Compiled, capability, module_of

_WARP = 32
# What the compiler is told, beside what the function is specialised by.
_OPTIONS = ("num_warps", "num_stages", "num_ctas")
# The compiler's settings are the process's: a build in another thread waits.
_LOCK = threading.Lock()


def compile_program(
    source: str, function: str, parameters: list[tuple[str, str]], constants: dict[str, Any], arch: str
) -> Compiled:
    """`constants`: the function's constexpr parameters, Triton's options, and "divisible": names of parameters whose
    value is a multiple of sixteen. Of the parameters the function takes those that it names."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    divisible = constants.pop("divisible", [])
    options = {name: constants.pop(name) for name in _OPTIONS if name in constants}
    with _LOCK, triton.knobs.cache.scope(), module_of(source) as (module, folder):
        triton.knobs.cache.dir = str(folder / "cache")
        kernel_function = getattr(module, function)
        kinds = dict(parameters)
        taken = [name for name in kernel_function.arg_names if name in kinds]
        program = ASTSource(
            fn=kernel_function,
            signature={**{name: kinds[name] for name in taken}, **dict.fromkeys(constants, "constexpr")},
            constexprs=constants,
            attrs={(taken.index(name),): [["tt.divisibility", 16]] for name in divisible},
        )
        kernel = triton.compile(program, target=GPUTarget("cuda", capability(arch), _WARP), options=options)
    facts = kernel.metadata
    if facts.global_scratch_size or facts.profile_scratch_size:
        raise ValueError(f"{function} needs scratch memory, which a launch from C++ does not give")
    return Compiled(
        function=facts.name,
        threads=_WARP * facts.num_warps,
        shared_bytes=facts.shared,
        cluster=facts.num_ctas,
        parameters=[*map(list(kinds).index, taken), NOTHING, NOTHING],  # scratch memory, of no bytes
        image=kernel.asm["cubin"],
    )
