// Rotations of each head's halves by its row number, from tables of cosines and sines made once.
#include <c10/util/StringUtil.h>
#include <lib/dtypes.h>
#include <lib/lanes.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <rope/frequencies.h>

#include <bit>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kElementsPerThread = 8 * 1024;
constexpr std::int64_t kFewestRows = 128;
constexpr std::int64_t kTableBytes = 512 << 20;

/// Tables are made for a power of two of rows, so that a growing sequence seldom needs another kernel.
std::int64_t table_rows(const CallSpec& spec) {
  const auto& sizes = spec.input("x").sizes;
  const std::int64_t rows = sizes[sizes.size() == 4 ? 1 : 0];
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(rows, kFewestRows))));
}

template <class T>
void rotate_head(const T* x, const float* cos, const float* sin, T* out, std::int64_t half) {
  for_each_pair(half, [&](std::int64_t i, std::int64_t count) {
    const Pair first = load_pair(x + i, count), second = load_pair(x + half + i, count);
    const Pair c = load_pair(cos + i, count), s = load_pair(sin + i, count);
    store_pair(out + i, {first.low * c.low - second.low * s.low, first.high * c.high - second.high * s.high}, count);
    store_pair(out + half + i, {second.low * c.low + first.low * s.low, second.high * c.high + first.high * s.high},
               count);
  });
}

template <class T>
class RotateRows final : public Kernel {
 public:
  RotateRows(const RowRotation& how, std::int64_t rows) : half_(how.width / 2) {
    AtenOriginal original;
    const auto [cos, sin] = how.tables(rows);
    cos_ = cos.to(at::kFloat);
    sin_ = sin.to(at::kFloat);
  }

  void forward(KernelCall& call) const override {
    const at::Tensor& x = call.input(0);
    const bool batched = x.dim() == 4;
    const std::int64_t batches = batched ? x.size(0) : 1, rows = x.size(batched ? 1 : 0),
                       heads = batched ? x.size(2) : 1;
    const std::int64_t batch_step = batched ? x.stride(0) : 0, row_step = x.stride(batched ? 1 : 0);
    const std::int64_t head_step = batched ? x.stride(2) : 0, width = 2 * half_;
    OutputBuffer out(call, 0);
    const T* from = static_cast<const T*>(x.const_data_ptr());
    T* to = out.data<T>();
    const float* cos = cos_.const_data_ptr<float>();
    const float* sin = sin_.const_data_ptr<float>();
    const std::int64_t grain = at::divup(kElementsPerThread, std::max<std::int64_t>(width * heads, 1));
    parallel_ranges(batches * rows, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t index = begin; index < end; ++index) {
        const std::int64_t row = index % rows, table = row * half_;
        const T* source = from + index / rows * batch_step + row * row_step;
        for (std::int64_t head = 0; head < heads; ++head) {
          rotate_head(source + head * head_step, cos + table, sin + table, to + (index * heads + head) * width, half_);
        }
      }
    });
    out.finish();
  }

 private:
  std::int64_t half_;
  at::Tensor cos_, sin_;  // [rows, width / 2]
};

Refusal refusal(const CallSpec& spec) {
  const TensorFacts& x = spec.input("x");
  if (!x.contiguous && x.strides.back() != 1) {
    return c10::str("x has stride ", x.strides.back(), " along its last dim; the vectorised kernel needs 1");
  }
  const RowRotation how = RowRotation::of(spec);
  if (how.interleaved) {
    return "neighbouring columns are paired; the vectorised kernel pairs halves";
  }
  if (how.factors_input >= 0) {
    return "rescale_factors are a tensor; the vectorised kernel makes its tables from numbers";
  }
  const double bytes = 4.0 * static_cast<double>(table_rows(spec)) * static_cast<double>(how.width);
  if (bytes > kTableBytes) {
    return c10::str("the tables take ", bytes / (1 << 20), " MiB; the vectorised kernel keeps up to ",
                    kTableBytes >> 20);
  }
  return std::nullopt;
}

Entry entry_for(const CallSpec& spec) {
  const RowRotation how = RowRotation::of(spec);
  const c10::ScalarType dtype = spec.input("x").dtype;
  const std::int64_t rows = table_rows(spec);
  return {Sequence{identity_of(spec), how.width, rows, dtype}, [=] {
            return with_float_type(dtype, [&](auto type) -> std::shared_ptr<const Kernel> {
              return std::make_shared<const RotateRows<decltype(type)>>(how, rows);
            });
          }};
}

}  // namespace

std::vector<Implementation> rope_vec() {
  watch_forks();
  std::vector<Implementation> all;
  for (const char* op : {"RoPEFwdOp", "RoPELlama31FwdOp", "YaRNFwdOp", "LongRoPEFwdOp"}) {
    all.push_back({.op = op,
                   .key = "vec",
                   .dtypes = float_dtypes(),
                   .preferred_over = {"aten"},
                   .refusal = refusal,
                   .entry_for = entry_for});
  }
  return all;
}

}  // namespace opyard::kernels::OPYARD_ISA
