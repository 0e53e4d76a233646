"""Overrides written in CuTe DSL."""

import logging
import sys

from opyard.native.dsl import Dsl
from opyard.native.dsl_registry import dsl_registry

log = logging.getLogger(__name__)

_dsl = Dsl("cutedsl", [("nvidia-cutlass-dsl", "cutlass"), ("apache-tvm-ffi", "tvm_ffi")], since=(4, 2), log=log)

runtime_available = _dsl.runtime_available
runtime_version = _dsl.runtime_version
register_op_override = _dsl.register_op_override
deregister_op_overrides = _dsl.deregister_op_overrides

dsl_registry.register_dsl("cutedsl", sys.modules[__name__])
