"""The right values of operators whose reference no single torch expression states.

A manifest's `reference` is either an expression of torch over the entry's inputs and parameters, or the dotted name of
a function, such as one of these. The function is called with every input and parameter by name (an absent input is
None) and gives what the operator gives. It computes in the dtype that it receives: the caller widens.
"""

from __future__ import annotations

from opyard.testing.reference.attention import gqa_dense
from opyard.testing.reference.gated import silu_and_mul
from opyard.testing.reference.gemm import gemm
from opyard.testing.reference.rope import rope_neox_position_ids

__all__ = ["gemm", "gqa_dense", "rope_neox_position_ids", "silu_and_mul"]
