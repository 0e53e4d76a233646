// silu(gate) * up of the two halves of each row, rounding silu to the dtype before the product as eager torch does.
#include <c10/util/StringUtil.h>
#include <lib/dtypes.h>
#include <lib/lanes.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <opyard/implementation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kElementsPerThread = 4 * 1024;

inline Lanes silu(const Lanes& x) { return x / (Lanes(1.0f) + x.neg().exp()); }

template <class T>
void activate_run(const T* gate, const T* up, T* out, std::int64_t size) {
  for_each_pair(size, [&](std::int64_t i, std::int64_t count) {
    const Pair g = load_pair(gate + i, count), u = load_pair(up + i, count);
    const Pair activated = rounded<T>({silu(g.low), silu(g.high)});
    store_pair(out + i, {activated.low * u.low, activated.high * u.high}, count);
  });
}

template <class T>
void activate(KernelCall& call) {
  const at::Tensor& input = call.input(0);
  const std::int64_t rows = input.size(0), width = input.size(1) / 2, stride = input.stride(0);
  const T* data = static_cast<const T*>(input.const_data_ptr());
  OutputBuffer out(call, 0);
  T* out_data = out.data<T>();
  // Split by columns, so that the one row of a decode step is shared as well.
  const std::int64_t pieces = at::divup(width, kPair);
  parallel_ranges(rows * pieces, kElementsPerThread / kPair, [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t row = begin / pieces, first = begin % pieces;
      const std::int64_t last = std::min(first + end - begin, pieces);
      const T* gate = data + row * stride + first * kPair;
      activate_run(gate, gate + width, out_data + row * width + first * kPair,
                   std::min(last * kPair, width) - first * kPair);
      begin += last - first;
    }
  });
  out.finish();
}

Refusal refusal(const CallSpec& spec) {
  const TensorFacts& input = spec.input("input");
  if (!input.contiguous && input.sizes[1] > 1 && input.strides[1] != 1) {
    return c10::str("input has stride ", input.strides[1], " along its last dim; the vectorised kernel needs 1");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> silu_and_mul_vec() {
  watch_forks();
  return {{
      .op = "SiLUAndMulFwdOp",
      .key = "vec",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const c10::ScalarType dtype = spec.input("input").dtype;
            return Entry{Value(dtype), [=] {
                           return with_float_type(dtype,
                                                  [](auto type) { return make_kernel(activate<decltype(type)>); });
                         }};
          },
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
