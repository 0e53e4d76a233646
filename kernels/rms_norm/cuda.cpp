// y = x / sqrt(mean(x^2) + eps) * weight in CUDA C++.
#include <lib/cuda/row_kernel.h>
#include <lib/output_buffer.h>
#include <rms_norm/row_norm.h>

namespace opyard::kernels::OPYARD_ISA {
namespace {

class RmsNorm final : public Kernel {
 public:
  explicit RmsNorm(const RowNorm& norm)
      : eps_(norm.eps),
        rows_({.function = "RmsNorm",
               .device = norm.device,
               .dtype = norm.dtype,
               .columns = norm.columns,
               .weight = norm.weighted}) {}

  void forward(KernelCall& call) const override {
    OutputBuffer y(call, 0);
    rows_.launch({.x = &call.input(0),
                  .weight = call.has_input(1) ? &call.input(1) : nullptr,
                  .y = y.data<void>(),
                  .eps = eps_});
    y.finish();
  }

 private:
  float eps_;
  RowKernel rows_;
};

}  // namespace

std::vector<Implementation> rms_norm_cuda() {
  return {{
      .op = "RMSNormFwdOp",
      .key = "cuda",
      .devices = {c10::DeviceType::CUDA},
      .dtypes = {c10::ScalarType::Float, c10::ScalarType::BFloat16, c10::ScalarType::Half},
      .preferred_over = {"aten", "triton", "cute", "tilelang"},
      .refusal = mixed_dtypes,
      .entry_for =
          [](const CallSpec& spec) {
            const RowNorm norm = RowNorm::of(spec);
            return Entry{norm.identity(), [norm] { return std::make_shared<const RmsNorm>(norm); }};
          },
  }};
}

}  // namespace opyard::kernels::OPYARD_ISA
