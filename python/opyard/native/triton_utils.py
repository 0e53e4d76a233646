"""Overrides written in Triton."""

import logging
import sys

from opyard.native.dsl import Dsl
from opyard.native.dsl_registry import dsl_registry

log = logging.getLogger(__name__)

_dsl = Dsl("triton", [("triton", "triton")], since=(3, 6), log=log)

runtime_available = _dsl.runtime_available
runtime_version = _dsl.runtime_version
register_op_override = _dsl.register_op_override
deregister_op_overrides = _dsl.deregister_op_overrides

dsl_registry.register_dsl("triton", sys.modules[__name__])
