// rms_norm(input + residual) * weight and the sum, a row at a time: the sum stays in float32 until both are written.
#include <c10/util/SmallVector.h>
#include <c10/util/StringUtil.h>
#include <lib/dtypes.h>
#include <lib/lanes.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <lib/parameters.h>
#include <lib/rows.h>
#include <lib/scale_row.h>

#include <cmath>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kElementsPerThread = 16 * 1024;

/// Adds two rows into `sum`, writes the rounded sum, gives the mean of the squares of the exact one.
template <class T>
float add_rows(const T* x, const T* y, float* sum, T* rounded_sum, std::int64_t size) {
  Lanes low(0.0f), high(0.0f);
  for_each_pair(size, [&](std::int64_t i, std::int64_t count) {
    const Pair a = load_pair(x + i, count), b = load_pair(y + i, count);
    const Pair added = {a.low + b.low, a.high + b.high};
    store_pair(sum + i, added, count);
    store_pair(rounded_sum + i, added, count);
    low = at::vec::fmadd(added.low, added.low, low);
    high = at::vec::fmadd(added.high, added.high, high);
  });
  return sum_of(low + high) / static_cast<float>(size);
}

template <class T>
void normalize(KernelCall& call, float eps) {
  const at::Tensor &x = call.input(0), &residual = call.input(1);
  const std::int64_t size = x.size(-1);
  const Rows rows(x.sizes(), x.strides(), 1), residual_rows(residual.sizes(), residual.strides(), 1);
  const T* data = static_cast<const T*>(x.const_data_ptr());
  const T* residual_data = static_cast<const T*>(residual.const_data_ptr());
  const T* weight = static_cast<const T*>(call.input(2).const_data_ptr());
  OutputBuffer out(call, 0), sums(call, 1);
  T *out_data = out.data<T>(), *sum_data = sums.data<T>();
  parallel_ranges(rows.count(), at::divup(kElementsPerThread, size), [&](std::int64_t begin, std::int64_t end) {
    c10::SmallVector<float, 4096> sum;
    sum.resize_for_overwrite(size);
    for (std::int64_t row = begin; row < end; ++row) {
      const float mean = add_rows(data + rows.offset(row), residual_data + residual_rows.offset(row), sum.data(),
                                  sum_data + row * size, size);
      scale_row(sum.data(), weight, out_data + row * size, 1.0f / std::sqrt(mean + eps), size);
    }
  });
  out.finish();
  sums.finish();
}

Refusal refusal(const CallSpec& spec) {
  for (const auto& [name, facts] : spec.inputs()) {
    if (!inner_contiguous(facts, 1)) {
      return c10::str("the last dim of ", name, " is not contiguous; the vectorised kernel reads rows in one run");
    }
  }
  return std::nullopt;
}

Entry entry_for(const CallSpec& spec) {
  const float eps = static_cast<float>(number(spec.param("eps")));
  const c10::ScalarType dtype = spec.input("input").dtype;
  return {Sequence{spec.param("eps"), dtype}, [=] {
            return with_float_type(dtype, [&](auto type) {
              return make_kernel([=](KernelCall& call) { normalize<decltype(type)>(call, eps); });
            });
          }};
}

}  // namespace

std::vector<Implementation> norm_vec_fused_add() {
  watch_forks();
  return {{
      .op = "FusedAddRMSNormFwdOp",
      .key = "vec",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for = entry_for,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
