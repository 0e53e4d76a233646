"""Calls drawn from an operator's declaration, and what they must give: for tests of operators and of your own kernels.

```python
from opyard.testing import assert_right, edge_calls, sample_calls

for call in sample_calls("RMSNormFwdOp", dtype=torch.bfloat16):
    assert_right(call)  # the result equals the entry's reference within its tolerance
for operator, args, kwargs, label in edge_calls("RMSNormFwdOp"):
    operator(*args, **kwargs)
```
"""

from __future__ import annotations

from opyard.testing.calls import SampleCall, dtypes_of, edge_calls, random_calls, sample_calls
from opyard.testing.right import (
    assert_right,
    implementations_serving,
    inputs_of,
    reference_of,
    right_values,
    tolerance_of,
    wrong_results,
)

__all__ = [
    "SampleCall",
    "assert_right",
    "dtypes_of",
    "edge_calls",
    "implementations_serving",
    "inputs_of",
    "random_calls",
    "reference_of",
    "right_values",
    "sample_calls",
    "tolerance_of",
    "wrong_results",
]
