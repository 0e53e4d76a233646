"""Overrides written in Helion."""

import logging
import sys

from opyard.native.dsl import Dsl
from opyard.native.dsl_registry import dsl_registry

log = logging.getLogger(__name__)

_dsl = Dsl("helion", [("helion", "helion")], since=(1, 0), log=log)

runtime_available = _dsl.runtime_available
runtime_version = _dsl.runtime_version
register_op_override = _dsl.register_op_override
deregister_op_overrides = _dsl.deregister_op_overrides

dsl_registry.register_dsl("helion", sys.modules[__name__])
