"""y = x / sqrt(mean(x^2) + eps) * weight in Triton: a program has a row, which stays in registers."""

import triton
import triton.language as tl


@triton.jit
def rms_norm(x, weight, y, columns, row_stride, eps, BLOCK: tl.constexpr, WEIGHTED: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * row_stride + at, mask=inside, other=0.0).to(tl.float32)
    values *= tl.rsqrt(tl.sum(values * values) / columns + eps)
    if WEIGHTED:
        values *= tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * columns + at, values.to(y.dtype.element_ty), mask=inside)
