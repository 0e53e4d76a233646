// x / sqrt(mean(x^2) + eps) * weight, a row at a time, with float32 sums.
#include <c10/util/StringUtil.h>
#include <lib/dtypes.h>
#include <lib/lanes.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <lib/parameters.h>
#include <lib/rows.h>
#include <lib/scale_row.h>
#include <opyard/implementation.h>

#include <cmath>
#include <limits>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kElementsPerThread = 16 * 1024;

template <class T>
float mean_of_squares(const T* x, std::int64_t size) {
  Lanes low(0.0f), high(0.0f);
  for_each_pair(size, [&](std::int64_t i, std::int64_t count) {
    const Pair v = load_pair(x + i, count);
    low = at::vec::fmadd(v.low, v.low, low);
    high = at::vec::fmadd(v.high, v.high, high);
  });
  return sum_of(low + high) / static_cast<float>(size);
}

template <class T>
void normalize(KernelCall& call, std::size_t inner_dims, std::int64_t size, float eps) {
  const at::Tensor& x = call.input(0);
  const Rows rows(x.sizes(), x.strides(), inner_dims);
  const T* data = static_cast<const T*>(x.const_data_ptr());
  const T* weight = call.has_input(1) ? static_cast<const T*>(call.input(1).const_data_ptr()) : nullptr;
  OutputBuffer out(call, 0);
  T* out_data = out.data<T>();
  if (size > 0) {
    parallel_ranges(rows.count(), at::divup(kElementsPerThread, size), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const T* from = data + rows.offset(row);
        const float scale = 1.0f / std::sqrt(mean_of_squares(from, size) + eps);
        scale_row(from, weight, out_data + row * size, scale, size);
      }
    });
  }
  out.finish();
}

Refusal refusal(const CallSpec& spec) {
  const std::size_t inner = spec.param("normalized_shape").get<Sequence>().size();
  const TensorFacts& x = spec.input("x");
  const TensorFacts& weight = spec.input("weight");
  if (!inner_contiguous(x, inner)) {
    return c10::str("the last ", inner, " dims of x are not contiguous; the vectorised kernel reads rows in one run");
  }
  if (weight.present && weight.dtype != x.dtype) {
    return c10::str("weight is ", dtype_name(weight.dtype), " and x ", dtype_name(x.dtype),
                    "; the vectorised kernel takes one dtype");
  }
  if (weight.present && !inner_contiguous(weight, weight.sizes.size())) {
    return "weight is not contiguous; the vectorised kernel reads it in one run";
  }
  return std::nullopt;
}

Entry entry_for(const CallSpec& spec) {
  const Value& shape = spec.param("normalized_shape");
  const c10::ScalarType dtype = spec.input("x").dtype;
  // torch's default for every dtype below double: it normalises in float32.
  const double eps = optional_number(spec.param("eps")).value_or(std::numeric_limits<float>::epsilon());
  std::int64_t size = 1;
  for (std::int64_t extent : integers(shape)) {
    size *= extent;
  }
  const std::size_t inner = shape.get<Sequence>().size();
  return {Sequence{shape, eps, dtype}, [=] {
            return with_float_type(dtype, [&](auto type) {
              return make_kernel(
                  [=](KernelCall& call) { normalize<decltype(type)>(call, inner, size, static_cast<float>(eps)); });
            });
          }};
}

}  // namespace

std::vector<Implementation> rms_norm_vec() {
  watch_forks();
  return {{
      .op = "RMSNormFwdOp",
      .key = "vec",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for = entry_for,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
