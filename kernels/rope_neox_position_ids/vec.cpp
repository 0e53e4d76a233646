// Rotates the first columns of each head by its row's position, from a table of cosines and sines made once.
#include <lib/dtypes.h>
#include <lib/lanes.h>
#include <lib/output_buffer.h>
#include <lib/parallel.h>
#include <opyard/aten_original.h>
#include <rope_neox_position_ids/rotation.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kElementsPerThread = 8 * 1024;
constexpr std::int64_t kTableBytes = 512 << 20;

/// Rotates one head. Each product is rounded to T before the sum, as eager torch rounds it.
template <class T>
void rotate_head(const T* x, const T* cos, const T* sin, T* out, std::int64_t half) {
  for_each_pair(half, [&](std::int64_t i, std::int64_t count) {
    const Pair first = load_pair(x + i, count), second = load_pair(x + half + i, count);
    const Pair c = load_pair(cos + i, count), s = load_pair(sin + i, count);
    const Pair first_cos = rounded<T>({first.low * c.low, first.high * c.high});
    const Pair first_sin = rounded<T>({first.low * s.low, first.high * s.high});
    const Pair second_cos = rounded<T>({second.low * c.low, second.high * c.high});
    const Pair second_sin = rounded<T>({second.low * s.low, second.high * s.high});
    store_pair(out + i, {first_cos.low - second_sin.low, first_cos.high - second_sin.high}, count);
    store_pair(out + half + i, {second_cos.low + first_sin.low, second_cos.high + first_sin.high}, count);
  });
}

template <class T>
class Rotate final : public Kernel {
 public:
  Rotate(const Rotation& rotation, at::ScalarType dtype) : rotation_(rotation) {
    AtenOriginal original;
    const at::Tensor angles = rotation.angles(at::arange(rotation.max_position, at::kLong));
    cos_ = angles.cos().to(dtype);
    sin_ = angles.sin().to(dtype);
  }

  void forward(KernelCall& call) const override {
    if (call.input(1).scalar_type() == at::kInt) {
      rotate(call, static_cast<const std::int32_t*>(call.input(1).const_data_ptr()));
    } else {
      rotate(call, static_cast<const std::int64_t*>(call.input(1).const_data_ptr()));
    }
  }

 private:
  template <class Index>
  void rotate(KernelCall& call, const Index* positions) const {
    const at::Tensor& x = call.input(0);
    const std::int64_t rows = x.size(0), heads = x.size(1), width = x.size(2), step = call.input(1).stride(0);
    for (std::int64_t row = 0; row < rows; ++row) {
      if (positions[row * step] < 0 || positions[row * step] >= rotation_.max_position) {
        raise_outside(positions[row * step], rotation_.max_position);
      }
    }
    OutputBuffer out(call, 0);
    const T* from = static_cast<const T*>(x.const_data_ptr());
    T* to = out.data<T>();
    const std::int64_t half = rotation_.width / 2;
    const T* cos = static_cast<const T*>(cos_.const_data_ptr());
    const T* sin = static_cast<const T*>(sin_.const_data_ptr());
    const std::int64_t grain = at::divup(kElementsPerThread, std::max<std::int64_t>(width * heads, 1));
    parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t entry = positions[row * step] * half;
        for (std::int64_t head = 0; head < heads; ++head) {
          const T* source = from + row * x.stride(0) + head * x.stride(1);
          T* target = to + (row * heads + head) * width;
          rotate_head(source, cos + entry, sin + entry, target, half);
          std::copy(source + 2 * half, source + width, target + 2 * half);
        }
      }
    });
    out.finish();
  }

  Rotation rotation_;
  at::Tensor cos_, sin_;  // [max_position, width / 2]
};

Refusal refusal(const CallSpec& spec) {
  const TensorFacts& x = spec.input("x");
  if (!x.contiguous && x.sizes[2] > 1 && x.strides[2] != 1) {
    return c10::str("x has stride ", x.strides[2], " along its last dim; the vectorised kernel needs 1");
  }
  const Rotation rotation = Rotation::of(spec);
  const double bytes = 2.0 * rotation.max_position * (rotation.width / 2) * c10::elementSize(x.dtype);
  if (bytes > kTableBytes) {
    return c10::str("the table for max_position ", rotation.max_position, " takes ", bytes / (1 << 20),
                    " MiB; the vectorised kernel keeps up to ", kTableBytes >> 20);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> rope_neox_position_ids_vec() {
  watch_forks();
  return {{
      .op = "RoPENeoxPositionIdsFwdOp",
      .key = "vec",
      .dtypes = float_dtypes(),
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for =
          [](const CallSpec& spec) {
            const Rotation rotation = Rotation::of(spec);
            const c10::ScalarType dtype = spec.input("x").dtype;
            return Entry{Sequence{rotation.identity(), dtype}, [=] {
                           return with_float_type(dtype, [&](auto type) -> std::shared_ptr<const Kernel> {
                             return std::make_shared<const Rotate<decltype(type)>>(rotation, dtype);
                           });
                         }};
          },
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
