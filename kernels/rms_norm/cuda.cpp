// y = x / sqrt(mean(x^2) + eps) * weight in CUDA C++: rows in registers, or read twice where they are wide or odd.
#include <c10/util/StringUtil.h>
#include <lib/cuda/rows.h>
#include <lib/output_buffer.h>
#include <lib/parameters.h>
#include <opyard/cuda.h>
#include <opyard/implementation.h>

#include <limits>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr const char* kSource = "#include <rms_norm/rows.cuh>\n";
constexpr std::int64_t kMostThreads = 1024, kBlockThreads = 128, kWideThreads = 512, kWarp = 32;
constexpr std::int64_t kFewPacks = 2, kMostPacks = 4;  // a thread, in registers
constexpr std::int64_t kShortRow = 256;                // packs: up to here few packs a thread keep more rows in flight

struct Shape {
  std::int64_t threads, rows_per_block, packs;  // packs 0: the row is read twice
};

Shape shape_of(const cuda::RowLayout& layout) {
  if (!layout.packed) return {kWideThreads, 1, 0};
  const std::int64_t packs = layout.packs <= kShortRow ? kFewPacks : kMostPacks;
  const std::int64_t needed = (layout.packs + packs - 1) / packs;
  std::int64_t threads = kWarp / 2;  // within a warp: a power of two
  if (needed > threads) threads = (needed + kWarp - 1) / kWarp * kWarp;
  if (threads > kMostThreads) return {kMostThreads, 1, 0};
  return {threads, std::max<std::int64_t>(kBlockThreads / threads, 1), packs};
}

std::string function_of(c10::ScalarType dtype, const Shape& shape, bool packed, bool weighted) {
  const char* weight = weighted ? "true" : "false";
  if (shape.packs == 0)
    return c10::str("opyard::rms_norm_wide<", cuda::type_name(dtype), ", ", shape.threads, ", ",
                    packed ? "true" : "false", ", ", weight, ">");
  return c10::str("opyard::rms_norm_rows<", cuda::type_name(dtype), ", ", shape.threads, ", ", shape.rows_per_block,
                  ", ", shape.packs, ", ", weight, ">");
}

class RmsNorm final : public Kernel {
 public:
  RmsNorm(c10::Device device, c10::ScalarType dtype, std::int64_t columns, bool weighted, float eps)
      : columns_(columns),
        eps_(eps),
        shape_(shape_of(cuda::RowLayout::of(columns, dtype))),
        any_(program(dtype, cuda::RowLayout::odd(columns), weighted), device) {
    const cuda::RowLayout layout = cuda::RowLayout::of(columns, dtype);
    if (layout.packed) {
      packed_ = cuda::load(program(dtype, layout, weighted), device);
    } else {
      any_.get();
    }
  }

  void forward(KernelCall& call) const override {
    const cuda::Rows x(call.input(0), columns_);
    OutputBuffer y(call, 0);
    const at::Tensor weight = call.has_input(1) ? call.input(1).contiguous() : at::Tensor();
    const void *from = x.data(), *scales = weight.defined() ? weight.const_data_ptr() : nullptr;
    void* to = y.data<void>();
    const bool aligned = packed_ != nullptr && x.packs_aligned() && cuda::aligned(scales) && cuda::aligned(to);
    const Shape shape = aligned ? shape_ : shape_of(cuda::RowLayout::odd(columns_));
    std::int64_t rows = x.rows(), columns = columns_, stride = x.stride();
    float eps = eps_;
    void* arguments[] = {&from, &scales, &to, &rows, &columns, &stride, &eps};
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((rows + shape.rows_per_block - 1) / shape.rows_per_block);
    launch.block[0] = static_cast<std::uint32_t>(shape.threads * shape.rows_per_block);
    (aligned ? *packed_ : any_.get()).launch(launch, arguments);
    y.finish();
  }

 private:
  static cuda::Program program(c10::ScalarType dtype, const cuda::RowLayout& layout, bool weighted) {
    return {kSource, function_of(dtype, shape_of(layout), layout.packed, weighted)};
  }

  std::int64_t columns_;
  float eps_;
  Shape shape_;
  std::shared_ptr<const cuda::Function> packed_;  // null where no row of this width is made of whole packs
  cuda::LateFunction any_;
};

Refusal refusal(const CallSpec& spec) {
  const TensorFacts &x = spec.input("x"), &weight = spec.input("weight");
  if (weight.present && weight.dtype != x.dtype)
    return c10::str("weight is ", dtype_name(weight.dtype), " and x ", dtype_name(x.dtype),
                    "; the kernel takes one dtype");
  return std::nullopt;
}

Entry entry_for(const CallSpec& spec) {
  const c10::Device device = spec.device;
  const c10::ScalarType dtype = spec.input("x").dtype;
  const bool weighted = spec.present("weight");
  std::int64_t columns = 1;
  for (const std::int64_t size : integers(spec.param("normalized_shape"))) columns *= size;
  // torch's default for every dtype below double: it normalises in float32.
  const double eps = optional_number(spec.param("eps")).value_or(std::numeric_limits<float>::epsilon());
  return {Sequence{device, dtype, columns, weighted, eps},
          [=] { return std::make_shared<const RmsNorm>(device, dtype, columns, weighted, static_cast<float>(eps)); }};
}

}  // namespace

std::vector<Implementation> rms_norm_cuda() {
  return {{
      .op = "RMSNormFwdOp",
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten"},
      .refusal = refusal,
      .entry_for = entry_for,
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
