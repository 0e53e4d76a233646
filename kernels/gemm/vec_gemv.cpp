// d = a w^T (+ bias) for a few rows of a: the weight [N, K] is read once, as fast as memory gives it.
#include <c10/util/SmallVector.h>
#include <c10/util/StringUtil.h>
#include <gemm/limits.h>
#include <lib/dtypes.h>
#include <lib/lanes.h>
#include <lib/matrix.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kBytesPerThread = 64 * 1024;  // of weight; less is not worth waking a thread

/// Rows of weight taken together: as many sums as registers hold beside the operands.
template <int M>
constexpr int kBlock = M * 4 <= (kLanes >= 16 ? 16 : 8) ? 4 : (M * 2 <= (kLanes >= 16 ? 16 : 8) ? 2 : 1);

struct Problem {
  std::int64_t n, k;
  std::int64_t weight_stride;  // from row to row of the weight
  std::int64_t x_stride;       // from row to row of x: k rounded up to kPair, zeros beyond k
  const float* x;
  std::int64_t bias_stride;
};

/// sums[m][r] = the dot product of row m of x with row r of `weight`.
template <class T, int M, int R>
inline void dot_rows(const T* weight, const Problem& p, float (&sums)[M][R]) {
  Lanes low[M][R], high[M][R];
  for (int m = 0; m < M; ++m) {
    for (int r = 0; r < R; ++r) {
      low[m][r] = high[m][r] = Lanes(0.0f);
    }
  }
  const auto step = [&](std::int64_t i, std::int64_t count) {
    Pair w[R];
    for (int r = 0; r < R; ++r) {
      w[r] = load_pair(weight + r * p.weight_stride + i, count);
    }
    for (int m = 0; m < M; ++m) {
      const Pair x = load_pair(p.x + m * p.x_stride + i);
      for (int r = 0; r < R; ++r) {
        low[m][r] = at::vec::fmadd(w[r].low, x.low, low[m][r]);
        // One chain of sums is enough where several rows of x hide its latency; it leaves registers free.
        Lanes& second = M == 1 ? high[m][r] : low[m][r];
        second = at::vec::fmadd(w[r].high, x.high, second);
      }
    }
  };
  std::int64_t i = 0;
  for (; i + kPair <= p.k; i += kPair) {
    for (int r = 0; r < R; ++r) {
      const char* ahead = reinterpret_cast<const char*>(weight + (r + R) * p.weight_stride + i);
      for (std::size_t line = 0; line < kPair * sizeof(T); line += kCacheLine) {
        __builtin_prefetch(ahead + line);
      }
    }
    step(i, kPair);
  }
  if (i < p.k) {
    step(i, p.k - i);
  }
  for (int m = 0; m < M; ++m) {
    for (int r = 0; r < R; ++r) {
      sums[m][r] = sum_of(M == 1 ? low[m][r] + high[m][r] : low[m][r]);
    }
  }
}

template <class T, int M, int R>
inline void store_rows(const T* weight, const T* bias, T* out, std::int64_t row, const Problem& p) {
  float sums[M][R];
  dot_rows<T, M, R>(weight + row * p.weight_stride, p, sums);
  for (int m = 0; m < M; ++m) {
    for (int r = 0; r < R; ++r) {
      const float added = bias == nullptr ? 0.0f : static_cast<float>(bias[(row + r) * p.bias_stride]);
      out[m * p.n + row + r] = static_cast<T>(bias == nullptr ? sums[m][r] : sums[m][r] + added);
    }
  }
}

template <class T, int M>
void multiply_rows(const T* weight, const T* bias, T* out, const Problem& p) {
  constexpr int R = kBlock<M>;
  const std::int64_t bytes = std::max<std::int64_t>(p.k * sizeof(T) * R, 1);
  parallel_ranges(at::divup(p.n, R), at::divup(kBytesPerThread, bytes), [&](std::int64_t begin, std::int64_t end) {
    std::int64_t row = begin * R;
    const std::int64_t last = std::min(end * R, p.n);
    for (; row + R <= last; row += R) {
      store_rows<T, M, R>(weight, bias, out, row, p);
    }
    for (; row < last; ++row) {
      store_rows<T, M, 1>(weight, bias, out, row, p);
    }
  });
}

/// x as floats, each row padded with zeros to whole pairs.
template <class T>
void pack(const T* x, const Matrix& from, std::int64_t to_stride, float* to) {
  for (std::int64_t m = 0; m < from.rows; ++m) {
    const T* row = x + m * from.row_stride;
    for (std::int64_t k = 0; k < from.cols; ++k) {
      to[m * to_stride + k] = static_cast<float>(row[k * from.col_stride]);
    }
    std::fill(to + m * to_stride + from.cols, to + (m + 1) * to_stride, 0.0f);
  }
}

template <class T>
void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  const Matrix x = matrix(call.input(0), trans_a);
  const Matrix weight = matrix(call.input(1), !trans_b);
  const std::int64_t x_stride = at::divup(x.cols, kPair) * kPair;
  c10::SmallVector<float, 2048> packed;
  packed.resize_for_overwrite(x.rows * x_stride);
  pack(static_cast<const T*>(call.input(0).const_data_ptr()), x, x_stride, packed.data());

  const at::Tensor* bias = call.has_input(2) ? &call.input(2) : nullptr;
  const T* bias_data = bias == nullptr ? nullptr : static_cast<const T*>(bias->const_data_ptr());
  const Problem problem = {weight.rows, x.cols,        weight.row_stride,
                           x_stride,    packed.data(), bias == nullptr ? 0 : bias->stride(0)};
  const T* weight_data = static_cast<const T*>(call.input(1).const_data_ptr());
  OutputBuffer out(call, 0);
  switch (x.rows) {
    case 1:
      multiply_rows<T, 1>(weight_data, bias_data, out.data<T>(), problem);
      break;
    case 2:
      multiply_rows<T, 2>(weight_data, bias_data, out.data<T>(), problem);
      break;
    case 3:
      multiply_rows<T, 3>(weight_data, bias_data, out.data<T>(), problem);
      break;
    case 4:
      multiply_rows<T, 4>(weight_data, bias_data, out.data<T>(), problem);
      break;
    default:  // no rows, nothing to write
      break;
  }
  out.finish();
}

Refusal refusal(const CallSpec& spec) {
  if (spec.input("b").layout != c10::Layout::Strided) {
    return "b is reordered for oneDNN; this implementation takes a strided tensor";
  }
  const Matrix a = matrix(spec.input("a"), spec.param("trans_a").get<bool>());
  const Matrix weight = matrix(spec.input("b"), !spec.param("trans_b").get<bool>());
  if (a.rows > kSmallM) {
    return c10::str("M is ", a.rows, "; the matrix-vector kernel serves up to ", kSmallM, " rows");
  }
  if (!weight.rows_contiguous()) {
    return c10::str("b has stride ", weight.col_stride,
                    " along K; the matrix-vector kernel reads rows contiguous along K");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> gemm_vec_gemv() {
  watch_forks();
  return {{
      .op = "GEMMFwdOp",
      .key = "vec_gemv",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const bool trans_a = spec.param("trans_a").get<bool>();
            const bool trans_b = spec.param("trans_b").get<bool>();
            const c10::ScalarType dtype = spec.input("a").dtype;
            return Entry{
                Sequence{trans_a, trans_b, dtype}, [=] {
                  return with_float_type(dtype, [&](auto type) {
                    return make_kernel([=](KernelCall& call) { multiply<decltype(type)>(call, trans_a, trans_b); });
                  });
                }};
          },
      .expected_us = 2,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
