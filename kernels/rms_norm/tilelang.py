"""y = x / sqrt(mean(x^2) + eps) * weight in TileLang, for contiguous rows: a block has a row."""

import tilelang.language as T


def rms_norm(dtype, columns, threads, weighted):
    rows = T.dynamic("rows", "int64")

    def tensor():  # one object for two parameters would be one parameter
        return T.Tensor((rows, columns), dtype)

    @T.prim_func
    def kernel(x: tensor(), weight: T.Tensor((columns,), dtype), y: tensor(), eps: T.float32):
        with T.Kernel(rows, threads=threads) as row:
            held = T.alloc_fragment((1, columns), "float32")
            squares = T.alloc_fragment((1, columns), "float32")
            factor = T.alloc_fragment((1,), "float32")
            for i, j in T.Parallel(1, columns):
                held[i, j] = T.cast(x[row + i, j], "float32")
            for i, j in T.Parallel(1, columns):
                squares[i, j] = held[i, j] * held[i, j]
            T.reduce_sum(squares, factor, dim=1)
            for i in T.Parallel(1):
                factor[i] = T.rsqrt(factor[i] / columns + eps)
            if weighted:
                for i, j in T.Parallel(1, columns):
                    y[row + i, j] = T.cast(held[i, j] * factor[i] * T.cast(weight[j], "float32"), dtype)
            else:
                for i, j in T.Parallel(1, columns):
                    y[row + i, j] = T.cast(held[i, j] * factor[i], dtype)

    return kernel
