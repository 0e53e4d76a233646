// Rotations of each head by its row number in CUDA C++.
#include <c10/util/StringUtil.h>
#include <lib/cuda/rows.h>
#include <lib/output_buffer.h>
#include <opyard/cuda.h>
#include <rope/frequencies.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

constexpr std::int64_t kThreads = 256;

class Rotate final : public Kernel {
 public:
  Rotate(const RowRotation& how, c10::Device device, c10::ScalarType dtype)
      : width_(how.width),
        amplitude_(static_cast<float>(how.amplitude)),
        function_(cuda::load(program(how, dtype), device)),
        frequencies_(cuda::only_compiling() ? at::Tensor() : at::tensor(how.frequencies, at::kDouble).to(device)) {}

  void forward(KernelCall& call) const override {
    const at::Tensor x = call.input(0).contiguous();
    OutputBuffer y(call, 0);
    const bool batched = x.dim() == 4;  // [B, S, H, D]; otherwise [S, D]
    std::int64_t length = x.size(batched ? 1 : 0), rows = batched ? x.size(0) * length : length;
    int heads = batched ? static_cast<int>(x.size(2)) : 1, width = static_cast<int>(width_);
    float amplitude = amplitude_;
    const void *from = x.const_data_ptr(), *frequencies = frequencies_.const_data_ptr();
    void* to = y.data<void>();
    void* arguments[] = {&from, &to, &frequencies, &rows, &length, &heads, &width, &amplitude};
    cuda::Launch launch;
    launch.grid[0] = static_cast<std::uint32_t>((rows * (width_ / 2) + kThreads - 1) / kThreads);
    launch.block[0] = kThreads;
    function_->launch(launch, arguments);
    y.finish();
  }

 private:
  static cuda::Program program(const RowRotation& how, c10::ScalarType dtype) {
    return {"#include <rope/rotate.cuh>\n",
            c10::str("opyard::rotate<", cuda::type_name(dtype), ", ", how.interleaved ? "true" : "false", ">")};
  }

  std::int64_t width_;
  float amplitude_;
  std::shared_ptr<const cuda::Function> function_;
  at::Tensor frequencies_;
};

Refusal refusal(const CallSpec& spec) {
  if (RowRotation::of(spec).factors_input >= 0) {
    return "rescale_factors are given; the kernel's frequencies are those of the parameters";
  }
  return std::nullopt;
}

}  // namespace

std::vector<Implementation> rope_cuda() {
  std::vector<Implementation> all;
  for (const char* op : {"RoPEFwdOp", "RoPELlama31FwdOp", "YaRNFwdOp", "LongRoPEFwdOp"}) {
    all.push_back({
        .op = op,
        .key = "cuda",
        .devices = {c10::DeviceType::CUDA},
        .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
        .preferred_over = {"aten"},
        .refusal = refusal,
        .entry_for =
            [](const CallSpec& spec) {
              const RowRotation how = RowRotation::of(spec);
              const c10::Device device = spec.device;
              const c10::ScalarType dtype = spec.input("x").dtype;
              return Entry{Sequence{identity_of(spec), device, dtype, how.width},
                           [=] { return std::make_shared<const Rotate>(how, device, dtype); }};
            },
    });
  }
  return all;
}

}  // namespace opyard::kernels::OPYARD_ISA
