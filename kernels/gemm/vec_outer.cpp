// d = a w^T (+ bias) for tens to hundreds of rows of a: a is packed once, transposed, and outer products with it read
// the weight [N, K] in place.
#include <c10/util/StringUtil.h>
#include <gemm/limits.h>
#include <gemm/typed_entry.h>
#include <lib/dot_tile.h>
#include <lib/dtypes.h>
#include <lib/float_rows.h>
#include <lib/output_buffer.h>
#include <lib/panels.h>
#include <lib/parallel.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr int kMostRest = kLanes >= 16 ? 6 : 2;  // rows that are cheaper as dot products than padded to a unit
constexpr int kRestColumns = 4;
constexpr std::int64_t kBlockBytes = 512 * 1024;  // of panels: what stays in the second cache while the weight passes
constexpr std::int64_t kBlockCols = 192;          // summed on their own: long sums in one float lose digits
constexpr std::int64_t kFlopsPerThread = 64 * 1024;  // less is not worth waking a thread

using TileSums = float[kTileRows][kTileVectors * kLanes];

/// How a row of the weight is read: in place as floats, in place as pairs in bfloat16, or widened.
template <class T>
constexpr bool kPairs = kBFloat16Pairs ? std::is_same_v<T, c10::BFloat16> : false;
template <class T>
constexpr bool kInPlace = kPairs<T> || std::is_same_v<T, float>;
template <class T>
constexpr std::int64_t kPacked = kPairs<T> ? 2 : 1;  // columns in a float

template <class T>
struct Product {
  const Panels& panels;
  const FloatRows& rest;  // the last rows of x: too few to pad
  std::int64_t rest_size;
  const T* weight;
  Matrix shape;  // of the weight: [N, K]
  const T* bias;
  std::int64_t bias_stride;
  T* out;

  /// Rows [n, n + count) of the weight with a panel.
  void tile(std::int64_t panel, std::int64_t n, std::int64_t count, const float* const (&rows)[kTileRows],
            std::int64_t ahead) const {
    alignas(64) TileSums sums;
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const Lanes start(bias == nullptr || r >= count ? 0.0f : static_cast<float>(bias[(n + r) * bias_stride]));
      for (std::int64_t v = 0; v < kTileVectors; ++v) {
        start.store(sums[r] + v * kLanes);
      }
    }
    const std::int64_t cols = shape.cols / kPacked<T>;
    for (std::int64_t k = 0; k < cols; k += kBlockCols) {
      with_count<kTileUnits>(panels.units(panel), [&](auto units) {
        outer_tile<decltype(units)::value, kPairs<T>>(panels.data(panel), rows, k, std::min(k + kBlockCols, cols),
                                                      ahead, sums);
      });
    }
    store(sums, panel, n, count);
  }

  void store(const TileSums& sums, std::int64_t panel, std::int64_t n, std::int64_t count) const {
    T* to = out + panels.first_row(panel) * shape.rows + n;
    const std::int64_t size = panels.last_row(panel) - panels.first_row(panel);
    std::int64_t m = 0;
    for (; count == kTileRows && m + 4 <= size; m += kLanes) {
      store_vector(sums, m, std::min(size / 4 * 4 - m, kLanes), to + m * shape.rows);
    }
    m = std::min(m, size / 4 * 4);
    for (; m < size; ++m) {
      for (std::int64_t r = 0; r < count; ++r) {
        to[m * shape.rows + r] = static_cast<T>(sums[r][m]);
      }
    }
  }

  /// `count` rows of the output from row m of a panel on, a multiple of four.
  void store_vector(const TileSums& sums, std::int64_t m, std::int64_t count, T* to) const {
    float columns[kLanes][kTileRows];
    constexpr bool kDirect = std::is_same_v<T, float>;
    for (std::int64_t r = 0; r < kTileRows; r += 4) {
      if constexpr (kDirect) {
        transpose_four(sums[r] + m, kTileVectors * kLanes, count, to + r, shape.rows);
      } else {
        transpose_four(sums[r] + m, kTileVectors * kLanes, kLanes, columns[0] + r, kTileRows);
      }
    }
    if constexpr (!kDirect) {
      T narrow[kLanes][kTileRows];
      for_each_pair(kLanes * kTileRows,
                    [&](std::int64_t i, std::int64_t) { store_pair(narrow[0] + i, load_pair(columns[0] + i)); });
      for (std::int64_t row = 0; row < count; ++row) {
        std::copy_n(narrow[row], kTileRows, to + row * shape.rows);
      }
    }
  }

  /// R rows of the weight, from row n on, with the rest.
  template <int R>
  void rest_tile(std::int64_t n) const {
    with_count<kMostRest>(rest_size, [&](auto size) {
      constexpr int kSize = decltype(size)::value;
      float sums[kSize][R];
      dot_tile<kSize, R>(rest.row(0), rest.stride(), weight + n * shape.row_stride, shape.row_stride, shape.cols, sums);
      for (int m = 0; m < kSize; ++m) {
        for (int r = 0; r < R; ++r) {
          out[(panels.rows() + m) * shape.rows + n + r] = static_cast<T>(sums[m][r] + bias_of(n + r));
        }
      }
    });
  }

  float bias_of(std::int64_t n) const { return bias == nullptr ? -0.0f : static_cast<float>(bias[n * bias_stride]); }

  /// The rows as floats: in place, or widened into `wide`. Past the last one it is taken again.
  void weight_rows(std::int64_t n, float* wide, const float* (&rows)[kTileRows]) const {
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const T* row = weight + std::min(n + r, shape.rows - 1) * shape.row_stride;
      if constexpr (kInPlace<T>) {
        rows[r] = reinterpret_cast<const float*>(row);
      } else {
        float* to = wide + r * shape.cols;
        for_each_pair(shape.cols,
                      [&](std::int64_t i, std::int64_t c) { store_pair(to + i, load_pair(row + i, c), c); });
        rows[r] = to;
      }
    }
  }

  void range(std::int64_t first_panel, std::int64_t last_panel, std::int64_t begin, std::int64_t end) const {
    const std::int64_t ahead = kInPlace<T> ? kTileRows * shape.row_stride / kPacked<T> : 0;
    c10::SmallVector<float, 0> wide;
    wide.resize_for_overwrite(kInPlace<T> ? 0 : kTileRows * shape.cols);
    for (std::int64_t n = begin; n < end; n += kTileRows) {
      const std::int64_t count = std::min<std::int64_t>(end - n, kTileRows);
      const float* rows[kTileRows];
      weight_rows(n, wide.data(), rows);
      for (std::int64_t panel = first_panel; panel < last_panel; ++panel) {
        tile(panel, n, count, rows, ahead);
      }
      if (last_panel == panels.count()) {
        rest_rows(n, n + count);
      }
    }
  }

  void rest_rows(std::int64_t n, std::int64_t end) const {
    for (; n + kRestColumns <= end; n += kRestColumns) {
      rest_tile<kRestColumns>(n);
    }
    for (; n < end; ++n) {
      rest_tile<1>(n);
    }
  }
};

template <class T>
Panels panels_of(const T* x, const Matrix& from) {
  if constexpr (kPairs<T>) {
    return Panels(reinterpret_cast<const float*>(x), {from.rows, from.cols / 2, from.row_stride / 2, 1});
  } else {
    return Panels(x, from);
  }
}

template <class T>
void multiply(KernelCall& call, bool trans_a, bool trans_b) {
  const Matrix a = matrix(call.input(0), trans_a);
  const T* x = static_cast<const T*>(call.input(0).const_data_ptr());
  const std::int64_t over = a.rows % kUnit, rest_size = over <= kMostRest && !kPairs<T> ? over : 0,
                     padded = a.rows - rest_size;
  const Panels panels = panels_of(x, {padded, a.cols, a.row_stride, a.col_stride});
  const FloatRows rest(x + padded * a.row_stride, {rest_size, a.cols, a.row_stride, a.col_stride});
  OutputBuffer out(call, 0);
  const at::Tensor* bias = call.has_input(2) ? &call.input(2) : nullptr;
  const Product<T> product = {panels,
                              rest,
                              rest_size,
                              static_cast<const T*>(call.input(1).const_data_ptr()),
                              matrix(call.input(1), !trans_b),
                              bias == nullptr ? nullptr : static_cast<const T*>(bias->const_data_ptr()),
                              bias == nullptr ? 0 : bias->stride(0),
                              out.data<T>()};
  const std::int64_t panel_bytes = std::max<std::int64_t>(kTileVectors * kLanes * a.cols * sizeof(float), 1);
  const std::int64_t block = std::max<std::int64_t>(kBlockBytes / panel_bytes, 1);
  const std::int64_t grain = at::divup(kFlopsPerThread, std::max<std::int64_t>(a.rows * a.cols * kTileRows, 1));
  const std::int64_t n = product.shape.rows;
  parallel_ranges(at::divup(n, kTileRows), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t panel = 0; panel < panels.count(); panel += block) {
      product.range(panel, std::min(panel + block, panels.count()), begin * kTileRows, std::min(end * kTileRows, n));
    }
  });
  out.finish();
}

/// Pairs of columns are read as one: rows must begin at even places.
Refusal pairs_refusal(const Matrix& a, const Matrix& weight) {
  if (!processor_has_bfloat16_pairs()) {
    return "bfloat16 by outer products needs AVX512-BF16, which this processor or this build has not";
  }
  if (processor_has_bfloat16_tiles()) {
    return "this processor has AMX, by which oneDNN is ahead in bfloat16";
  }
  if (a.cols % 2 != 0 || !a.rows_contiguous() || a.row_stride % 2 != 0 || weight.row_stride % 2 != 0) {
    return c10::str("K is ", a.cols, ", rows of a are ", a.row_stride, " apart, of b ", weight.row_stride,
                    "; outer products in bfloat16 take an even number of each, and a contiguous along K");
  }
  return std::nullopt;
}

Refusal refusal(const CallSpec& spec) {
  if (spec.input("b").layout != c10::Layout::Strided) {
    return "b is reordered for oneDNN; this implementation takes a strided tensor";
  }
  const Matrix a = matrix(spec.input("a"), spec.param("trans_a").get<bool>());
  const Matrix weight = matrix(spec.input("b"), !spec.param("trans_b").get<bool>());
  // Less than a vector of rows leaves lanes idle; a weight that is widened first must pay for that with more rows.
  const bool in_place = spec.input("a").dtype != c10::ScalarType::Half;
  const std::int64_t least = in_place ? std::max<std::int64_t>(kLanes, kSmallM + 1) : kMediumM + 1;
  if (a.rows < least || a.rows > kLargeM) {
    return c10::str("M is ", a.rows, "; the outer product kernel serves ", least, " to ", kLargeM, " rows of ",
                    dtype_name(spec.input("a").dtype));
  }
  if (!weight.rows_contiguous()) {
    return c10::str("b has stride ", weight.col_stride,
                    " along K; the outer product kernel reads rows contiguous along K");
  }
  return spec.input("a").dtype == c10::ScalarType::BFloat16 ? pairs_refusal(a, weight) : std::nullopt;
}

}  // namespace

std::vector<Implementation> gemm_vec_outer() {
  watch_forks();
  return {{
      .op = "GEMMFwdOp",
      .key = "vec_outer",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten", "onednn", "vec_dot"},
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
