// d = a w^T (+ bias) for tens of rows of a: tiles of dot products read the weight [N, K] in place, without packing it.
#include <c10/util/StringUtil.h>
#include <gemm/limits.h>
#include <gemm/typed_entry.h>
#include <lib/dot_tile.h>
#include <lib/dtypes.h>
#include <lib/float_rows.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr int kTileM = kLanes >= 16 ? 4 : 2;  // with kTileN: as many sums as the registers hold
constexpr int kTileN = 4;
constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kBlockBytes = 512 * 1024;     // of x: what stays in the second cache while the weight passes
constexpr std::int64_t kFlopsPerThread = 64 * 1024;  // less is not worth waking a thread

template <class T>
struct Product {
  const FloatRows& x;
  const T* weight;
  Matrix shape;  // of the weight: [N, K]
  const T* bias;
  std::int64_t bias_stride;
  T* out;

  template <int M, int R>
  void tile(std::int64_t m, std::int64_t n) const {
    float sums[M][R];
    dot_tile<M, R>(x.row(m), x.stride(), weight + n * shape.row_stride, shape.row_stride, shape.cols, sums);
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < R; ++j) {
        const float sum = sums[i][j] + (bias == nullptr ? -0.0f : static_cast<float>(bias[(n + j) * bias_stride]));
        out[(m + i) * shape.rows + n + j] = static_cast<T>(sum);
      }
    }
  }

  /// Rows [m, last) of the output in columns [n, n + R): the R rows of the weight stay in the first cache, and each
  /// tile fetches its share of the rows after them.
  template <int R>
  void columns(std::int64_t m, std::int64_t last, std::int64_t n) const {
    const std::int64_t bytes = R * shape.row_stride * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t share = at::divup(bytes, at::divup(last - m, kTileM));
    const char* next = reinterpret_cast<const char*>(weight + (n + R) * shape.row_stride);
    for (; m + kTileM <= last; m += kTileM, next += share) {
      for (std::int64_t line = 0; line < share; line += kCacheLine) {
        __builtin_prefetch(next + line, 0, 2);
      }
      tile<kTileM, R>(m, n);
    }
    with_count<kTileM - 1>(last - m, [&](auto rest) { tile<decltype(rest)::value, R>(m, n); });
  }

  void range(std::int64_t m, std::int64_t last, std::int64_t n, std::int64_t last_n) const {
    for (; n + kTileN <= last_n; n += kTileN) {
      columns<kTileN>(m, last, n);
    }
    for (; n < last_n; ++n) {
      columns<1>(m, last, n);
    }
  }
};

template <class T>
void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  const Matrix a = matrix(call.input(0), trans_a);
  const FloatRows x(static_cast<const T*>(call.input(0).const_data_ptr()), a);
  OutputBuffer out(call, 0);
  const at::Tensor* bias = call.has_input(2) ? &call.input(2) : nullptr;
  const Product<T> product = {x,
                              static_cast<const T*>(call.input(1).const_data_ptr()),
                              matrix(call.input(1), !trans_b),
                              bias == nullptr ? nullptr : static_cast<const T*>(bias->const_data_ptr()),
                              bias == nullptr ? 0 : bias->stride(0),
                              out.data<T>()};
  const std::int64_t row_bytes = std::max<std::int64_t>(a.cols * sizeof(float), 1);
  const std::int64_t block = std::max<std::int64_t>(kBlockBytes / row_bytes / kTileM, 1) * kTileM;
  const std::int64_t grain = at::divup(kFlopsPerThread, std::max<std::int64_t>(a.rows * a.cols * kTileN, 1));
  parallel_ranges(at::divup(product.shape.rows, kTileN), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = 0; m < a.rows; m += block) {
      product.range(m, std::min(m + block, a.rows), begin * kTileN, std::min(end * kTileN, product.shape.rows));
    }
  });
  out.finish();
}

Refusal refusal(const CallSpec& spec) {
  if (spec.input("b").layout != c10::Layout::Strided) {
    return "b is reordered for oneDNN; this implementation takes a strided tensor";
  }
  const Matrix a = matrix(spec.input("a"), spec.param("trans_a").get<bool>());
  const Matrix weight = matrix(spec.input("b"), !spec.param("trans_b").get<bool>());
  if (a.rows <= kSmallM || a.rows > kMediumM) {
    return c10::str("M is ", a.rows, "; the dot product kernel serves ", kSmallM + 1, " to ", kMediumM, " rows");
  }
  if (!weight.rows_contiguous()) {
    return c10::str("b has stride ", weight.col_stride,
                    " along K; the dot product kernel reads rows contiguous along K");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> gemm_vec_dot() {
  watch_forks();
  return {{
      .op = "GEMMFwdOp",
      .key = "vec_dot",
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::Half},
      .preferred_over = {"aten", "onednn"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            return typed_entry(spec, [](auto type, KernelCall& call, bool trans_a, bool trans_b) {
              multiply<decltype(type)>(call, trans_a, trans_b);
            });
          },
      .expected_us = 10,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
