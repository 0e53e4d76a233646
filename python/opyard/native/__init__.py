"""Overrides of operators by DSL kernels: code written for torch._native runs with its import changed to this.

Importing it, and registering, loads no DSL and initialises no CUDA. What differs from torch._native: the override
registered last is tried first, it is in force at once, and operators of every namespace may be overridden.
"""

from __future__ import annotations

from opyard.native.logs import follow_torch_logs

follow_torch_logs()

from opyard.native import (  # noqa: E402  # their records follow TORCH_LOGS
    cutedsl_utils,
    dsl_registry,
    helion_utils,
    nvrtc_utils,
    registry,
    tilelang_utils,
    triton_utils,
)
from opyard.native.graphs import GRAPHS  # noqa: E402
from opyard.native.ordering import get_user_ordering_fn  # noqa: E402
from opyard.native.registry import (  # noqa: E402
    UserOrderingFn,
    deregister_op_overrides,
    get_dsl_operations,
    native_decomp_table,
    reenable_op_overrides,
    register_op_override,
    reorder_graphs_from_user_function,
    reset_order,
)

__all__ = [
    "UserOrderingFn",
    "cutedsl_utils",
    "deregister_op_overrides",
    "dsl_registry",
    "get_dsl_operations",
    "get_user_ordering_fn",
    "helion_utils",
    "native_decomp_table",
    "nvrtc_utils",
    "reenable_op_overrides",
    "register_op_override",
    "registry",
    "reorder_graphs_from_user_function",
    "reset_order",
    "tilelang_utils",
    "triton_utils",
]

GRAPHS.ordering = get_user_ordering_fn()
