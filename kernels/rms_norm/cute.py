"""y = x / sqrt(mean(x^2) + eps) * weight in CuTe DSL: a block has a row, each thread packs of sixteen bytes of it."""

import cutlass
import cutlass.cute as cute


@cute.kernel
def rms_norm_kernel(
    x: cute.Pointer,
    weight: cute.Pointer,
    y: cute.Pointer,
    row_stride: cutlass.Int64,
    eps: cutlass.Float32,
    columns: cutlass.Constexpr,
    threads: cutlass.Constexpr,
    weighted: cutlass.Constexpr,
):
    row, _, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    pack = 128 // x.dtype.width
    layout = cute.make_layout((pack, columns // (pack * threads)), stride=(1, pack * threads))
    at = cutlass.Int64(thread) * pack
    held = cute.make_rmem_tensor(layout.shape, x.dtype)
    cute.autovec_copy(cute.make_tensor(x + (cutlass.Int64(row) * row_stride + at), layout), held)
    values = held.load().to(cutlass.Float32)
    total = cute.arch.warp_reduction_sum((values * values).reduce(cute.ReductionOp.ADD, 0.0, 0))
    if cutlass.const_expr(threads > 32):
        sums = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, threads // 32), cute.make_layout(threads // 32))
        if thread % 32 == 0:
            sums[thread // 32] = total
        cute.arch.sync_threads()
        total = cutlass.Float32(0.0)
        for i in cutlass.range_constexpr(threads // 32):
            total += sums[i]
    values = values * cute.math.rsqrt(total / columns + eps)
    if cutlass.const_expr(weighted):
        scales = cute.make_rmem_tensor(layout.shape, x.dtype)
        cute.autovec_copy(cute.make_tensor(weight + at, layout), scales)
        values = values * scales.load().to(cutlass.Float32)
    done = cute.make_rmem_tensor(layout.shape, x.dtype)
    done.store(values.to(x.dtype))
    cute.autovec_copy(done, cute.make_tensor(y + (cutlass.Int64(row) * columns + at), layout))


@cute.jit
def rms_norm(
    x: cute.Pointer,
    weight: cute.Pointer,
    y: cute.Pointer,
    rows: cutlass.Int64,
    row_stride: cutlass.Int64,
    eps: cutlass.Float32,
    columns: cutlass.Constexpr,
    threads: cutlass.Constexpr,
    weighted: cutlass.Constexpr,
):
    kernel = rms_norm_kernel(x, weight, y, row_stride, eps, columns, threads, weighted)
    kernel.launch(grid=[rows, 1, 1], block=[threads, 1, 1])
